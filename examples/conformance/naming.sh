#!/bin/sh
# A driver for the `naming` profile in POSIX shell and awk: one request per line in, one answer per line out.
#
# Awk cannot hold every text: some have no NUL, some no characters beyond a byte. So no text is ever decoded. A string
# stays as JSON spells it, with each escape of a printable ASCII character written out, so that equal texts are spelled
# alike wherever the three functions look. Put your own in place of those at the end.
LC_ALL=C
export LC_ALL
case $(awk -W version 2>&1 </dev/null) in
mawk*) set -- -W interactive ;; # it would wait for more input than one line
*) set -- ;;
esac
exec awk "$@" '
BEGIN {
    for (code = 32; code < 127; code++)
        if (code != 34 && code != 92) character[sprintf("u%04x", code)] = sprintf("%c", code)
    character["/"] = "/"
}

function spelled_out(text,    out, escape) {
    out = ""
    while (match(text, /\\./)) {
        escape = substr(text, RSTART + 1, 1)
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + 2)
        if (escape == "u") {
            escape = "u" tolower(substr(text, 1, 4))
            text = substr(text, 5)
        }
        out = out ((escape in character) ? character[escape] : "\\" escape)
    }
    return out text
}

# Leaves every string of a request in `said`: those of its input as said["input.text"].
function read_request(line,    text, key, place, depth) {
    split("", said)
    place = ""
    depth = 0
    while (line != "") {
        if (match(line, /^"([^"\\]|\\.)*"/)) {
            text = substr(line, 2, RLENGTH - 2)
            line = substr(line, RLENGTH + 1)
            text = spelled_out(text)
            if (match(line, /^[ \t]*:/)) {
                key = text
                line = substr(line, RLENGTH + 1)
            } else said[place key] = text
            continue
        }
        if (line ~ /^[{]/ && depth++) place = place key "."
        if (line ~ /^[}]/ && --depth) sub(/[^.]*[.]$/, "", place)
        line = substr(line, 2)
    }
}

function say(what) {
    print what
    fflush()
}

function answer(kind, value) {
    say("{\"seq\": \"" said["seq"] "\", \"" kind "\": " value "}")
}

function is_upstream_id(text) {
    return text ~ /^[a-z0-9][a-z0-9-]*$/
}

function parse_upstream_id(text) {
    return is_upstream_id(text) ? "\"" text "\"" : "null"
}

function qualify(upstream, tool) {
    return "\"" upstream "__" tool "\""
}

function split_name(name,    at) {
    at = index(name, "__")
    if (!at || !is_upstream_id(substr(name, 1, at - 1))) return "null"
    return "{\"upstream\": \"" substr(name, 1, at - 1) "\", \"tool\": \"" substr(name, at + 2) "\"}"
}

{
    read_request($0)
    type = said["type"]
    asked = said["function"]
    if (type == "bye") exit
    else if (type == "hello")
        say("{\"protocol\": \"1\", \"name\": \"naming in awk\", \"version\": \"1\", \"language\": \"awk\"," \
            " \"profiles\": [\"naming\"], \"functions\": [\"parse_upstream_id\", \"qualify\", \"split\"]}")
    else if (type == "reset") answer("output", "null")
    else if (asked == "parse_upstream_id") answer("output", parse_upstream_id(said["input.text"]))
    else if (asked == "qualify") answer("output", qualify(said["input.upstream"], said["input.tool"]))
    else if (asked == "split") answer("output", split_name(said["input.name"]))
    else answer("declined", "{\"why\": \"no " asked " here\"}")
}
'
