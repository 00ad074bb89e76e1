"""What is known of clients is data with a source, and a name that does not fit one is told, never changed."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_adapters.clients import Misfit, Profile, clashes, fit, profiles

PLAIN = Profile("plain", "Plain", "a-z", "a-z0-9_", 10, "nothing", "2026-11", ("https://example.org",))
PREFIXED = Profile("p", "P", "a-z_", "a-z_", 12, "nothing", "2026-11", ("https://example.org",), prefix="m_{label}_")
RESERVING = Profile("r", "R", "a-z_", "a-z_", 12, "nothing", "2026-11", ("https://example.org",), reserved=5)
REWRITING = Profile("w", "W", "a-z_", "a-z_", 12, "nothing", "2026-11", ("https://e.org",), rewrites={"other": "_"})


class TestProfiles:
    """Each profile is whole and says where it comes from."""

    @pytest.mark.parametrize("profile", profiles().values(), ids=lambda one: one.id)
    def test_a_profile_is_whole(self, profile: Profile) -> None:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", profile.id)
        assert profile.title
        assert profile.beyond
        assert 1 <= profile.longest <= 256
        assert 0 <= profile.reserved < profile.longest
        assert profile.sources
        assert all(one.startswith("https://") for one in profile.sources)
        date.fromisoformat(f"{profile.seen}-01")
        assert not (profile.prefix and profile.reserved)
        assert all(re.fullmatch(f"[{profile.rest}]*", new) for new in profile.rewrites.values())

    @pytest.mark.parametrize("profile", profiles().values(), ids=lambda one: one.id)
    def test_what_may_come_first_may_come_later(self, profile: Profile) -> None:
        letters = [chr(code) for code in range(128)]
        first = {one for one in letters if re.fullmatch(f"[{profile.first}]", one)}
        assert first <= {one for one in letters if re.fullmatch(f"[{profile.rest}]", one)}

    def test_ids_are_unique_and_an_ordinary_name_fits_all(self) -> None:
        assert all(key == one.id for key, one in profiles().items())
        assert all(fit(one, "billing__issue_invoice", "mcpizer").fits for one in profiles().values())


class TestFit:
    """Length, characters, and what the client puts before the name."""

    @pytest.mark.parametrize(
        ("profile", "name", "misfits"),
        [
            (PLAIN, "a123456789", ()),
            (PLAIN, "a1234567890", (Misfit.TOO_LONG,)),
            (PLAIN, "1a", (Misfit.FIRST_CHARACTER,)),
            (PLAIN, "a.b", (Misfit.CHARACTERS,)),
            (PLAIN, ".b", (Misfit.CHARACTERS,)),
            (PLAIN, "1.bcdefghijk", (Misfit.TOO_LONG, Misfit.CHARACTERS, Misfit.FIRST_CHARACTER)),
            (PREFIXED, "abcdef", ()),
            (PREFIXED, "abcdefg", (Misfit.TOO_LONG,)),
            (RESERVING, "abcdefg", ()),
            (RESERVING, "abcdefgh", (Misfit.TOO_LONG,)),
            (REWRITING, "a.b c", ()),
        ],
    )
    def test_misfits(self, profile: Profile, name: str, misfits: tuple[Misfit, ...]) -> None:
        assert fit(profile, name, "gwy").misfits == misfits

    def test_unusual_characters_are_named_once(self) -> None:
        assert fit(PLAIN, "a.b.c-d", "x").characters == ".-"

    @given(st.text(min_size=1), st.text(alphabet="abc-", max_size=20))
    def test_a_name_that_fits_is_what_the_client_takes(self, name: str, label: str) -> None:
        for profile in profiles().values():
            found = fit(profile, name, label)
            taken = re.fullmatch(f"[{profile.first}][{profile.rest}]*", found.sent) is not None
            assert found.fits is (taken and found.length <= profile.longest)
            assert found.length >= len(found.sent)


class TestClashes:
    """Names that a client makes one of."""

    def test_rewriting_makes_two_names_one(self) -> None:
        (clash,) = clashes(REWRITING, ["a.b", "a_b", "a__b"], "x")
        assert (clash.sent, clash.names) == ("a_b", ("a.b", "a_b"))

    @given(st.lists(st.text(min_size=1), unique=True))
    def test_a_client_that_rewrites_nothing_keeps_names_apart(self, names: list[str]) -> None:
        assert clashes(PLAIN, names, "x") == ()
