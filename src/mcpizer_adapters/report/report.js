"use strict";
// The matrix as a person looks through it: filters, pages, two layouts, and the grants behind a cell.
// Whatever comes from a policy reaches the page as text of a node, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const MARKS = { gained: "+ gained", lost: "− lost", account: "⇄ account", limit: "≠ limit", reason: "× reason" };
  const COLUMNS = 20; // capabilities side by side
  const PRINTED = 2000; // rows on paper; more are counted, not printed
  const SUGGESTED = 500; // suggestions of a field; what is typed is compared with everything
  const narrow = matchMedia("(max-width: 45rem)");

  const el = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (typeof value === "boolean") made.toggleAttribute(key, value);
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };
  const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");

  // ---- what the data says ----
  const rows = data.rows.map(([kind, issuer, facts, broader], at) => ({ at, kind, issuer, facts, broader, cells: [], grants: [] }));
  const columns = data.columns.map(([id, before, after], at) => ({ at, id, before, after, tools: new Map([...before, ...after].map(([upstream, tool]) => [tool, upstream])) }));
  const decisions = data.decisions.map(([allowed, account, limit, code, meaning]) => ({ allowed, account, limit, code, meaning }));
  const place = (at) => (at < 0 ? "" : data.places[at]);
  for (const [row, column, after, afterPlace, before, beforePlace, change] of data.cells) {
    rows[row].cells.push({
      row, column, change: change || "", after: decisions[after], afterPlace: place(afterPlace),
      before: before === undefined ? null : decisions[before], beforePlace: before === undefined ? "" : place(beforePlace),
    });
  }
  for (const [side, row, given, account, disabled, limit, at] of data.grants) {
    rows[row].grants.push({ side, row, columns: new Set(given), account, disabled, limit, place: place(at) });
  }
  const declares = new Map(data.attributes.map(([issuer, names]) => [issuer, new Set(names)]));

  const who = (row) => {
    if (row.kind === "anybody") return "callers that no grant selects";
    return `${row.issuer} (${row.facts.length ? row.facts.map(([name, value]) => `${name}=${value}`).join(", ") : "everyone"})`;
  };
  // What a row has for a capability: a cell of its own, or that of the first broader row that has one.
  const cellAt = (row, column) => {
    for (const [at, via] of [[row.at, false], ...row.broader.map((one) => [one, true])]) {
      const found = rows[at].cells.find((cell) => cell.column === column);
      if (found) return { cell: found, via };
    }
    return null;
  };

  // ---- filters ----
  const state = { page: 0, across: 0, size: 50, layout: narrow.matches ? "list" : "table", printing: false };
  const fields = new Map();
  const wanted = (name) => fields.get(name).value.trim();
  // A full name means itself; anything else is looked for inside of names.
  const matcher = (name, known) => {
    const text = wanted(name);
    if (!text) return () => true;
    if (known.has(text)) return (value) => value === text;
    const low = text.toLowerCase();
    return (value) => value.toLowerCase().includes(low);
  };
  const facts = new Map();
  for (const row of rows) for (const [name, value] of row.facts) facts.set(`${name}=${value}`, name);
  const known = {
    who: new Set([...rows.filter((row) => row.kind !== "anybody").map((row) => row.issuer), ...[...facts.keys()].sort()]),
    capability: new Set(columns.map((one) => one.id)),
    tool: new Set(columns.flatMap((one) => [...one.tools.keys()]).sort()),
    upstream: new Set(columns.flatMap((one) => [...one.tools.values()]).sort()),
    account: new Set(data.grants.map((one) => one[3]).sort()),
  };

  const rowFilter = () => {
    const text = wanted("who");
    if (!text) return () => true;
    if (facts.has(text)) {
      const name = facts.get(text);
      const others = fields.get("others").checked;
      return (row) => row.facts.some(([key, value]) => `${key}=${value}` === text)
        || (others && row.kind === "selector" && declares.get(row.issuer).has(name) && row.facts.every(([key]) => key !== name));
    }
    const low = text.toLowerCase();
    return known.who.has(text) ? (row) => row.issuer === text : (row) => who(row).toLowerCase().includes(low);
  };
  const columnFilter = () => {
    const [capability, tool, upstream] = ["capability", "tool", "upstream"].map((name) => matcher(name, known[name]));
    const any = !wanted("tool") && !wanted("upstream");
    return new Set(columns.filter((one) => capability(one.id)
      && (any || [...one.tools].some(([name, from]) => tool(name) && upstream(from)))).map((one) => one.at));
  };
  const cellFilter = () => {
    const account = matcher("account", known.account);
    const change = data.compared ? fields.get("change").value : "";
    const any = !wanted("account");
    return (cell) => (any || account(cell.after.account) || (cell.before !== null && account(cell.before.account)))
      && (!change || (change === "any" ? cell.change !== "" : cell.change === change));
  };

  let shown = { rows: [], columns: [], passes: () => true, leftOut: 0, filters: [] };
  const inForce = () => ["who", "capability", "tool", "upstream", "account", ...(data.compared ? ["change"] : [])]
    .filter((name) => fields.get(name).value.trim())
    .map((name) => (name === "change" ? `“${fields.get(name).selectedOptions[0].text}”` : `${name} “${wanted(name)}”`));
  const filter = () => {
    const [ofRow, open, passes] = [rowFilter(), columnFilter(), cellFilter()];
    const used = new Set();
    const found = [];
    for (const row of rows) {
      if (!ofRow(row)) continue;
      const mine = row.cells.filter((cell) => open.has(cell.column) && passes(cell));
      if (!mine.length) continue;
      found.push({ row, mine });
      for (const cell of mine) used.add(cell.column);
    }
    const leftOut = rows.filter((row) => row.cells.length).length - found.length;
    shown = { rows: found, columns: [...used].sort((one, other) => one - other), passes, leftOut, filters: inForce() };
    state.page = state.across = 0;
    render();
  };

  // ---- one cell ----
  const outcome = (one) => {
    if (one.allowed) return [one.account, one.limit];
    if (one.code === "account_disabled") return [`${one.account} (disabled)`, ""];
    return [one.code === "capability_not_realized" ? "no tool" : one.code === "no_grant_matches" ? "nothing" : one.meaning, ""];
  };
  const arrow = (before, after, otherwise) => (before === after ? after : `${before || otherwise} → ${after || otherwise}`);
  const content = (cell, via) => {
    const [account, limit] = outcome(cell.change === "lost" ? cell.before : cell.after);
    const parts = [];
    const from = via ? "↳ " : "";
    if (cell.change) parts.push(el("span", { class: "mark" }, MARKS[cell.change]));
    if (cell.change === "account" || cell.change === "limit" || cell.change === "reason") {
      const [beforeAccount, beforeLimit] = outcome(cell.before);
      parts.push(el("span", {}, from + arrow(beforeAccount, account)));
      const under = arrow(beforeLimit, limit, "no limit");
      if (under) parts.push(el("span", { class: "under" }, under));
      return parts;
    }
    parts.push(el("span", {}, from + account));
    if (limit) parts.push(el("span", { class: "under" }, limit));
    return parts;
  };
  const cellButton = (row, cell, via, ...before) => el("button", {
    type: "button", class: `open ${cell.change} ${via ? "via" : ""} ${cell.after.allowed || cell.change ? "" : "no"}`,
    onclick: () => showCell(row, cell, via),
  }, ...before, ...content(cell, via));

  // ---- the dialog ----
  const dialog = el("dialog", { "aria-labelledby": "dialog-title" });
  const openDialog = (title, ...children) => {
    dialog.replaceChildren(el("h2", { id: "dialog-title" }, el("code", {}, title)), ...children,
      el("button", { type: "button", class: "plain-button", onclick: () => dialog.close() }, "Close"));
    dialog.showModal();
    dialog.scrollTop = 0;
  };
  const sentence = (one) => (one.allowed
    ? `allowed as ${one.account}, ${one.limit || "no limit"}`
    : `denied: ${one.meaning}${one.account ? ` (${one.account})` : ""}`);
  const grantsOf = (row, column, side, decides) => {
    const found = [row.at, ...row.broader].flatMap((at) => rows[at].grants)
      .filter((grant) => grant.side === side && grant.columns.has(column));
    if (!found.length) return [el("p", {}, decides ? `Decided at ${decides}.` : "No grant gives it.")];
    return [el("ul", { class: "grants" }, ...found.map((grant) => el("li", {},
      el("code", {}, grant.place),
      el("span", {}, `to ${who(rows[grant.row])}`),
      el("span", {}, `as ${grant.account}${grant.disabled ? " (disabled)" : ""}, ${grant.limit || "no limit"}`),
      ...(grant.place === decides ? [el("strong", {}, "This one decides.")] : []))))];
  };
  const showCell = (row, cell, via) => {
    const part = (name, one, side, decides) => [
      el("h3", {}, name), el("p", {}, `${sentence(one)[0].toUpperCase()}${sentence(one).slice(1)}.`),
      ...grantsOf(row, cell.column, side, decides)];
    openDialog(columns[cell.column].id, el("p", {}, who(row)),
      ...(via ? [el("p", {}, `↳ From a broader row: ${who(rows[cell.row])}.`)] : []),
      ...(cell.change ? [el("p", { class: `mark` }, MARKS[cell.change])] : []),
      ...(cell.before ? part("Before", cell.before, 0, cell.beforePlace) : []),
      ...part(data.compared ? "After" : "Decision", cell.after, data.sides.length - 1, cell.afterPlace));
  };
  const showColumn = (column) => {
    const list = (tools) => (tools.length
      ? el("ul", {}, ...tools.map(([, name]) => el("li", {}, el("code", {}, name))))
      : el("p", {}, "No tool realises it."));
    const alike = JSON.stringify(column.before) === JSON.stringify(column.after);
    openDialog(column.id, el("h3", {}, alike ? "Tools" : "Tools after"), list(column.after),
      ...(alike ? [] : [el("h3", {}, "Tools before"), list(column.before)]));
  };

  // ---- layouts ----
  const rowName = (row) => [
    ...(row.kind === "example" ? [el("small", {}, "for example "), el("br")] : []),
    el("span", { class: "who" }, row.kind === "anybody" ? who(row) : row.issuer),
    ...(row.kind === "anybody" ? [] : [el("ul", { class: "facts" },
      ...(row.facts.length ? row.facts.map(([name, value]) => el("li", {}, `${name}=${value}`)) : [el("li", {}, "everyone")]))]),
  ];
  const broken = (id) => id.split(/(?<=[.-])/).flatMap((part, at) => (at ? [el("wbr"), part] : [part]));
  const table = (some, across) => el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Who can do what" },
    el("table", { class: "matrix" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Who"), ...across.map((at) => el("th", { scope: "col" },
        el("button", { type: "button", class: "open", onclick: () => showColumn(columns[at]) }, ...broken(columns[at].id)))))),
      el("tbody", {}, ...some.map(({ row }) => el("tr", {}, el("th", { scope: "row" }, ...rowName(row)), ...across.map((at) => {
        const found = cellAt(row, at);
        return el("td", {}, ...(found && shown.passes(found.cell) ? [cellButton(row, found.cell, found.via)] : []));
      }))))));
  const list = (some) => el("ul", { class: "list" }, ...some.map(({ row, mine }) => el("li", {},
    el("h3", {}, who(row)),
    ...(row.kind === "example" ? [el("p", { class: "also" }, "An example of callers that a change concerns.")] : []),
    el("ul", { class: "items" }, ...mine.map((cell) => el("li", {},
      cellButton(row, cell, false, el("code", {}, ...broken(columns[cell.column].id)))))),
    ...(row.broader.length ? [el("p", { class: "also" }, `↳ Also what is given to ${row.broader.map((at) => who(rows[at])).join("; ")}.`)] : []))));

  // ---- the page ----
  const view = el("div");
  const status = el("p", { role: "status" });
  const columnStatus = el("p");
  const step = (text, move) => el("button", { type: "button", class: "plain-button", onclick: () => { move(); render(); } }, text);
  const back = step("← Rows before", () => { state.page -= 1; });
  const on = step("Rows after →", () => { state.page += 1; });
  const left = step("← Capabilities before", () => { state.across -= 1; });
  const right = step("Capabilities after →", () => { state.across += 1; });
  const range = (from, to, of) => (of === 0 ? "0" : `${count(from + 1)}–${count(to)} of ${count(of)}`);

  const render = () => {
    const size = state.printing ? PRINTED : state.size;
    const layout = state.printing ? "list" : state.layout;
    const start = state.printing ? 0 : state.page * size;
    const page = shown.rows.slice(start, start + size);
    const across = shown.columns.slice(state.across * COLUMNS, (state.across + 1) * COLUMNS);
    view.replaceChildren(page.length ? (layout === "list" ? list(page) : table(page, across)) : el("p", {}, "Nothing matches these filters."));
    status.textContent = `Rows ${range(start, start + page.length, shown.rows.length)}`
      + (shown.leftOut ? `; ${count(shown.leftOut)} left out by ${shown.filters.join(", ")}` : "")
      + (state.printing && shown.rows.length > PRINTED ? "; only these are printed, filter to print the others" : "");
    const wide = layout === "table" && shown.columns.length > COLUMNS;
    columnStatus.textContent = layout === "table" && page.length
      ? `Capabilities ${range(state.across * COLUMNS, state.across * COLUMNS + across.length, shown.columns.length)}` : "";
    back.hidden = on.hidden = shown.rows.length <= size;
    left.hidden = right.hidden = !wide;
    back.disabled = state.page === 0;
    on.disabled = start + size >= shown.rows.length;
    left.disabled = state.across === 0;
    right.disabled = (state.across + 1) * COLUMNS >= shown.columns.length;
  };

  const searchField = (name, label) => {
    const options = [...known[name]];
    const input = el("input", { type: "search", name, list: `known-${name}`, autocomplete: "off", oninput: filter });
    fields.set(name, input);
    const more = options.length > SUGGESTED ? ` (${count(SUGGESTED)} of ${count(options.length)} suggested)` : "";
    return el("label", {}, label + more, input,
      el("datalist", { id: `known-${name}` }, ...options.slice(0, SUGGESTED).map((value) => el("option", { value }))));
  };
  const choice = (name, label, options, change) => {
    const made = el("select", { name, onchange: change }, ...options.map(([value, text]) => el("option", { value }, text)));
    fields.set(name, made);
    return el("label", {}, label, made);
  };
  const tick = () => {
    const made = el("input", { type: "checkbox", name: "others", checked: true, onchange: filter });
    fields.set("others", made);
    return el("label", { class: "tick" }, made, "For attribute=value, show also rows that ask nothing of the attribute: they select its callers too");
  };
  const changes = data.compared && rows.some((row) => row.cells.some((cell) => cell.change));
  const form = el("form", { "aria-label": "Filter", onsubmit: (event) => event.preventDefault() },
    searchField("who", "Who: issuer or attribute=value"), searchField("capability", "Capability"), searchField("tool", "Tool"),
    searchField("upstream", "Upstream"), searchField("account", "Account"),
    ...(data.compared ? [choice("change", "Show", [["", "everything"], ["any", "what changes"],
      ...Object.entries(MARKS).map(([value, text]) => [value, text])], filter)] : []),
    el("div", { class: "foot" }, tick(),
      el("button", { type: "button", class: "plain-button", onclick: () => { form.reset(); settle(); } }, "Clear filters")));
  // Of two policies the changes are shown first; the field says so.
  const settle = () => {
    if (changes) fields.get("change").value = "any";
    fields.get("size").value = String(state.size);
    fields.get("layout").value = state.layout;
    filter();
  };
  const bar = el("div", { class: "bar" }, status, back, on, columnStatus, left, right,
    choice("layout", "Layout ", [["table", "table"], ["list", "list"]], (event) => { state.layout = event.target.value; render(); }),
    choice("size", "Rows on a page ", ["25", "50", "100", "250"].map((one) => [one, one]),
      (event) => { state.size = Number(event.target.value); state.page = 0; render(); }));

  // Arrow keys go from cell to cell, beside the usual way through all buttons.
  view.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const at = event.target.closest("td, th");
    if (!(event.key in moves) || !at || event.target.tagName !== "BUTTON") return;
    const [down, along] = moves[event.key];
    const lines = [...at.closest("table").rows];
    let [y, x] = [lines.indexOf(at.parentElement) + down, at.cellIndex + along];
    for (; lines[y] && lines[y].cells[x]; y += down, x += along) {
      const found = lines[y].cells[x].querySelector("button");
      if (found) { found.focus(); event.preventDefault(); return; }
    }
  });
  // On paper nothing is folded away, and there are no pages to turn.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const one of folded) one.open = true;
    state.printing = true;
    render();
  });
  addEventListener("afterprint", () => {
    for (const one of folded) one.open = false;
    state.printing = false;
    render();
  });
  narrow.addEventListener("change", () => { state.layout = narrow.matches ? "list" : "table"; fields.get("layout").value = state.layout; render(); });

  const app = document.getElementById("app");
  app.append(el("h2", {}, "Who can do what"), el("a", { class: "skip", href: "#end" }, "Go to the end of the table"),
    form, bar, view, el("span", { id: "end", tabindex: "-1" }), dialog);
  settle();
  app.hidden = false;
})();
