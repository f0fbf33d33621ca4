"""The sections of one race, which the report and the dossier share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import plugins
from deadheat.diagnosis.finding import MIN_CONFIDENCE, UNKNOWN
from deadheat.model import ActorState, Origin
from deadheat.output import dossier_sentences
from deadheat.output.findings import format_sighting_count, frame_location
from deadheat.output.html.components import (
    badge,
    bullet_list,
    code_listing,
    command_block,
    copy_button,
    diff_listing,
    fact_list,
    folded,
    section,
)
from deadheat.output.html.markup import EMPTY, Html, code, element, join, link, text
from deadheat.output.html.race_diagram import diagram_html, op_label, side_letter, side_mark
from deadheat.output.html.race_view import describe_probability
from deadheat.symbols.display import display_function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.model import Access, Frame
    from deadheat.output.dossier_sentences import JsonDict
    from deadheat.output.findings import RaceFinding
    from deadheat.output.html.race_view import RaceView

_MAX_FRAMES = 60
_MAX_OTHER_CAUSES = 2
_MAX_LOCATIONS = 5


# -- the answer -------------------------------------------------------------------------------------------


def answer_card(view: RaceView) -> Html:
    """Cause, missing order, remedy and fix: what a reader wants to know first."""
    cause = view.causes[0] if view.causes else None
    is_known = cause is not None and cause["cause"] != UNKNOWN
    answer = _cause_html(view, cause) if cause is not None and is_known else text(view.answer_title)
    heading = element(f"h{view.level + 1}", Html('<span class="label">Cause</span> '), answer, class_="verdict")
    body = [*_cause_paragraphs(view, cause), _remedy_html(view, cause)] if cause is not None else []
    return element("section", heading, *body, _fix_html(view), class_="answer")


def _cause_paragraphs(view: RaceView, cause: JsonDict) -> Iterator[Html]:
    candidates = [each for each in view.causes if each["cause"] not in (UNKNOWN, cause["cause"])]
    if cause.get("missing_order"):
        yield element("p", view.sentence(cause["missing_order"]), class_="order")
    if cause["cause"] == UNKNOWN or cause["confidence"] < MIN_CONFIDENCE:
        for other in candidates[:_MAX_OTHER_CAUSES]:
            yield element("p", Html("Perhaps: "), _cause_html(view, other), class_="other")
    if cause["test_only"]:
        yield element("p", Html("The defect is in the test, not in the product code."))
    if cause["settle"]:
        yield element("p", Html("To find out:"))
        yield bullet_list([view.sentence(question) for question in cause["settle"]])


def _cause_html(view: RaceView, cause: JsonDict) -> Html:
    title = view.sentence(plugins.cause_title(cause["cause"]))
    return join((title, Html(" "), badge(describe_probability(cause["confidence"]))))


def _remedy_html(view: RaceView, cause: JsonDict) -> Html:
    if not cause["remedy"]:
        return EMPTY
    fix, others = cause["fix"], cause.get("other_fixes", ())
    rows = fact_list((("Use", view.sentence(fix["primitive"])), ("Cost", view.sentence(fix["price"])),
                      ("Check", view.sentence(fix["check"]))))  # fmt: skip
    more = [view.sentence(f"{other['change']} Cost: {other['price']}") for other in others]
    return join(
        (
            element(f"h{view.level + 2}", Html("What to change"), class_="label"),
            element("p", view.sentence(cause["remedy"])),
            rows,
            folded("Other ways", bullet_list(more)) if more else EMPTY,
        )
    )


def _fix_html(view: RaceView) -> Html:
    """The commit that fixes the race, if there is a dossier with a version."""
    dossier = view.dossier
    if dossier is None or dossier["pin"] is None:
        return EMPTY
    lines = [dossier_sentences.summarize_fix(dossier), dossier_sentences.describe_fixes(dossier)[-1]]
    body = join(element("p", view.sentence(line)) for line in dict.fromkeys(lines))
    return join((element(f"h{view.level + 2}", Html("Fix"), class_="label"), body))


# -- facts ------------------------------------------------------------------------------------------------


def seen_fact(finding: RaceFinding) -> tuple[str, Html]:
    """How often the race was seen, and the first places."""
    shown = [element("span", text(location), class_="place") for location in finding.locations[:_MAX_LOCATIONS]]
    omitted = len(finding.locations) - len(shown)
    shown += [text(f"and {omitted} more")] if omitted > 0 else []
    count = format_sighting_count(finding.sighting_count).removeprefix("seen ")
    return "Seen", join((text(f"{count}: " if shown else count), join(shown, ", ")))


def report_facts(view: RaceView) -> Iterator[tuple[str, Html]]:
    """What the report says, as terms and values."""
    report = view.report
    yield "Race", join((code(view.race), Html(" "), copy_button(view.race, "the id of the race")))
    yield "Detector", text(f"{plugins.display_name(report.detector)}: {report.kind.replace('-', ' ')}")
    if report.test:
        yield "Test", code(report.test)
    if report.location and report.location.name:
        yield "Memory", join((text(f"{report.location.kind} "), code(report.location.name)))
    if report.damage:
        yield "Text damaged", text(", ".join(report.damage))


def dossier_facts(view: RaceView) -> Iterator[tuple[str, Html]]:
    """What a clone tells, as terms and values."""
    dossier = view.dossier
    if dossier is None:
        return
    yield "Variable", view.sentence(dossier_sentences.describe_variable(dossier)[0])
    yield "Versions", _versions_html(view)
    if dossier["owners"]:
        yield "Owner", text(dossier["owners"][0]["who"])
    if dossier["module"]:
        yield "Dependency", text(dossier_sentences.describe_dependency(dossier)[0])


def _versions_html(view: RaceView) -> Html:
    assert view.dossier is not None
    pin = view.dossier["pin"]
    if pin is None:
        return view.sentence(dossier_sentences.describe_version(view.dossier)[0])
    first, last = view.commit_link(pin["first"]), view.commit_link(pin["last"])
    window = first if pin["commits"] == 1 else join((first, Html(" to "), last))
    days = " to ".join(dict.fromkeys(day for day in pin["days"] if day))
    count = f"{pin['commits']} commits" if pin["commits"] > 1 else "1 commit"
    notes = ", ".join(filter(None, [count, days, *pin["tags"][:3]]))
    return join((window, Html("<br>"), element("small", text(notes))))


# -- code and stacks --------------------------------------------------------------------------------------


def racing_code(view: RaceView) -> Html:
    """Both racing snippets side by side, in the order of the title."""
    snippets = view.dossier["snippets"] if view.dossier else []
    by_site = {(snippet["site"]["file"], snippet["site"]["line"]): snippet for snippet in snippets}
    panels, shown = [], set()
    for index, access in enumerate(view.accesses[:2]):
        snippet = by_site.get((access.site.file, access.site.line)) if access.site else None
        if access.site is None or snippet is None:
            continue
        place = (snippet["path"], access.site.line)
        panels.append(_code_panel(view, access, index, None if place in shown else snippet))
        shown.add(place)
    kind = "columns" if len(shown) > 1 else "rows"
    return section(view.level + 1, "Racing code", element("div", *panels, class_=kind)) if panels else EMPTY


def _code_panel(view: RaceView, access: Access, index: int, snippet: JsonDict | None) -> Html:
    """The code of one side; only its heading if the other side has shown the same lines."""
    assert access.site is not None
    heading = element(
        "div", side_mark(index), Html(" "), op_label(access.op), Html(" in "), view.function_html(access.site.function),
        Html(" "), view.frame_link(access.site), class_="panel-head",
    )  # fmt: skip
    label = f"Code of side {side_letter(index)}, {frame_location(access.site, view.root)}"
    listing = code_listing(snippet, label) if snippet else Html('<p class="same">The same code.</p>')
    return element("div", heading, listing, class_=f"panel {side_letter(index).lower()}")


def stacks(view: RaceView) -> Html:
    """The stack of each access and of the start of its actor; frames of libraries are folded."""
    columns = [_stack_html(view, access, index) for index, access in enumerate(view.accesses)]
    return element("div", *columns, class_="columns") if columns else EMPTY


def _stack_html(view: RaceView, access: Access, index: int) -> Html:
    actor = view.actor_of(access)
    state = f" ({actor.state})" if actor and actor.state is not ActorState.UNKNOWN else ""
    details = [f"by {access.actor}{state}" if access.actor else "by an unknown actor"]
    details += [f"at {access.address}"] if access.address else []
    details += [f"holds {', '.join(access.locks)}"] if access.locks else []
    heading = element(
        f"h{view.level + 2}", side_mark(index), Html(" "), op_label(access.op), text(f" {', '.join(details)}")
    )
    created = (
        element("p", Html("created at"), class_="label") + _frames_html(view, actor.created_at, None)
        if actor and actor.created_at
        else ""
    )
    body = _frames_html(view, access.stack, access.site) if access.stack else Html("<p>No stack was printed.</p>")
    return element("div", heading, body, Html(created), class_=f"stack {side_letter(index).lower()}")


def _frames_html(view: RaceView, stack: tuple[Frame, ...], site: Frame | None) -> Html:
    """The frames of a stack; runs of library frames are folded, stale frames are only counted."""
    items: list[Html] = []
    library: list[Html] = []
    live = [frame for frame in stack if not frame.stale]
    for frame in live[:_MAX_FRAMES]:
        row = element(
            "li",
            text(display_function(frame.function)),
            Html(" "),
            view.frame_link(frame),
            class_="at" * (frame is site),
        )
        if frame.origin is not Origin.USER and frame is not site:
            library.append(row)
            continue
        items += _folded_frames(library)
        library = []
        items.append(row)
    items += _folded_frames(library)
    notes = [f"{len(live) - _MAX_FRAMES} more frames"] if len(live) > _MAX_FRAMES else []
    stale_count = len(stack) - len(live)
    notes += [f"{stale_count} stale frame{'s' * (stale_count != 1)}, not part of this stack"] if stale_count else []
    items += [element("li", text(note), class_="more") for note in notes]
    return element("ol", *items, class_="frames")


def _folded_frames(rows: list[Html]) -> list[Html]:
    if not rows:
        return []
    name = f"{len(rows)} frame{'s' * (len(rows) != 1)} of libraries"
    return [element("li", folded(name, element("ol", *rows)), class_="library")]


def diagram_section(view: RaceView) -> Html:
    diagram = diagram_html(view)
    title = "How both sides got there" if len(view.accesses) > 1 else "How it got there"
    return section(view.level + 1, title, diagram)


def stacks_section(view: RaceView) -> Html:
    return section(view.level + 1, "Stacks", stacks(view))


# -- what only a dossier has ------------------------------------------------------------------------------


def reproduction_section(view: RaceView) -> Html:
    dossier = view.dossier
    if dossier is None:
        return EMPTY
    commands = dossier_sentences.reproduction_commands(dossier)
    note = element("p", view.sentence(dossier_sentences.reproduction_note(dossier)))
    return section(view.level + 1, "Reproduce it", command_block(commands, "commands to reproduce the race"), note)


def check_sections(view: RaceView) -> Html:
    """Why the cause is believed, and how to see the race, beside each other."""
    parts = [part for part in (evidence_section(view), reproduction_section(view)) if part]
    return element("div", *parts, class_="columns") if len(parts) > 1 else join(parts)


def fix_section(view: RaceView) -> Html:
    """The change of a fix that is certain."""
    dossier = view.dossier
    diff = (dossier or {}).get("fix_diff") or ()
    if dossier is None or not diff:
        return EMPTY
    fix = dossier["fixed_by"][0]
    heading = element(
        "div", view.commit_link(fix["commit"]), Html(" "), view.sentence(fix["subject"]), class_="panel-head"
    )
    panel = element("div", heading, diff_listing(diff, "Diff of the fix"), class_="panel")
    return section(view.level + 1, "Diff of the fix", panel)


def evidence_section(view: RaceView) -> Html:
    evidence = view.causes[0]["evidence"] if view.causes else []
    return section(view.level + 1, "Evidence", bullet_list([*map(view.sentence, evidence)]))


def remaining_sections(view: RaceView) -> Html:
    """Everything else that a dossier tells, one small section each."""
    dossier = view.dossier
    if dossier is None:
        return EMPTY
    sentences = dossier_sentences
    parts = (
        ("What was expected", [dossier["narrative"]["expected"]]),
        ("What was seen", [dossier["narrative"]["saw"], *sentences.describe_variable(dossier)[1:]]),
        ("Versions", sentences.describe_version(dossier)),
        ("Fixed by", sentences.describe_fixes(dossier)),
        ("Verified", sentences.describe_verifications(dossier)),
        ("Introduced by", sentences.describe_introducing_commits(dossier)),
        ("Similar fixes in this repository", sentences.describe_similar_fixes(dossier)),
        ("What the document claims",
         sentences.describe_checked_claims(dossier) + sentences.describe_unchecked_claims(view.sighting, dossier)),
        ("Stale frames", sentences.describe_stale_frames(dossier)),
        ("Owners", sentences.describe_owners(dossier)),
        ("Not checked", sentences.describe_missing_facts(dossier)),
    )  # fmt: skip
    shown = [section(view.level + 1, title, _lines_html(view, lines)) for title, lines in parts if lines]
    related = bullet_list([link(view.race_url(race), code(race)) for race in dossier["related"]])
    shown.append(section(view.level + 1, "Related races", related))
    return element("div", *shown, class_="rest")


def _lines_html(view: RaceView, lines: list[str]) -> Html:
    return element("p", view.sentence(lines[0])) if len(lines) == 1 else bullet_list([*map(view.sentence, lines)])


def overview(view: RaceView, facts: Iterable[tuple[str, Html]]) -> Html:
    """The card with the answer, beside the facts."""
    return element("div", answer_card(view), fact_list(facts), class_="overview")


def race_body(view: RaceView, facts: Iterable[tuple[str, Html]]) -> Html:
    """Everything about one race but its heading."""
    return join((overview(view, facts), race_details(view)))


def race_details(view: RaceView) -> Html:
    """Everything below the answer: code, fix, evidence, diagram, stacks, history."""
    return join(
        (
            racing_code(view),
            fix_section(view),
            check_sections(view),
            diagram_section(view),
            stacks_section(view),
            remaining_sections(view),
        )
    )
