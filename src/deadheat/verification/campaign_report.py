"""The result of `reproduce` as data, text and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.printable import quote_code, visible_text
from deadheat.verification.code_under_test import command_for
from deadheat.verification.rates import clopper_pearson_interval, upper_bound
from deadheat.verification.sought_race import IDENTITY

if TYPE_CHECKING:
    from deadheat.verification.bandit import Arm
    from deadheat.verification.campaign import Campaign
    from deadheat.verification.code_under_test import RunPlan
    from deadheat.verification.trials import TrialPlace

JsonDict = dict[str, Any]
CONFIDENCE = 0.95


class CampaignContext(NamedTuple):
    """Where and how the trials ran."""

    commit: str
    commit_note: str  # why this commit
    plan: RunPlan
    toolchain: str
    place: TrialPlace
    notes: tuple[str, ...] = ()


def format_share(rate: float) -> str:
    """`0.912` as `91 %`, `0.0042` as `0.42 %`."""
    percent = 100 * rate
    digits = 0 if percent >= 10 or not percent else 1 if percent >= 1 else 2 if percent >= 0.1 else 3
    return f"{percent:.{digits}f} %"


def format_times(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def campaign_to_json(campaign: Campaign, context: CampaignContext) -> JsonDict:
    counts, best = campaign.counts, campaign.best
    return {
        "schema": 1,
        "race": campaign.sought.id,
        "title": campaign.sought.title,
        "is_seen": counts.sightings > 0,
        "commit": context.commit,
        "commit_note": context.commit_note,
        "command": context.plan.command,
        "tests_from": context.plan.tests and context.plan.tests.commit,
        "toolchain": context.toolchain,
        **place_to_json(context.place),
        "hosts": [{"host": name, "runs": n, "sightings": k} for name, (n, k) in counts.hosts.items()],
        "runs": counts.runs,
        "sightings": counts.sightings,
        "vacuous": counts.vacuous,
        "incomplete": counts.incomplete,
        "seconds": round(campaign.elapsed, 3),
        "process_seconds": round(counts.seconds, 3),
        "is_interrupted": campaign.was_interrupted,
        "configurations": [_arm_to_json(arm, context, campaign) for arm in campaign.bandit.arms.values()],
        "best": best and {
            "configuration": best.arm.name,
            "command": command_for(context.plan, campaign.configuration_named(best.arm.name)),
            "rate": best.arm.sightings / best.arm.runs,
            "low": best.rate.low,
            "high": best.rate.high,
            "per_second": list(best.per_second),
            "probability": best.probability,
        },
        "renamed": [how for how in counts.renamings if how != IDENTITY],
        "other_races": [
            {"race": race, "title": title, "trials": number} for race, (title, number) in counts.other_races.items()
        ],
        "failures": [{"failure": text, "trials": number} for text, number in counts.failures.items()],
        "notes": list(context.notes),
    }  # fmt: skip


def place_to_json(place: TrialPlace) -> JsonDict:
    return {
        "isolation": place.isolation,
        "jobs": place.jobs,
        "master": place.master or None,
        "executors": place.executors if place.master else None,
    }


def _arm_to_json(arm: Arm, context: CampaignContext, campaign: Campaign) -> JsonDict:
    interval = clopper_pearson_interval(arm.sightings, arm.runs, CONFIDENCE)
    return {
        "configuration": arm.name,
        "runs": arm.runs,
        "sightings": arm.sightings,
        "seconds_per_run": round(arm.seconds_per_run, 4),
        "low": interval.low,
        "high": interval.high,
        "command": command_for(context.plan, campaign.configuration_named(arm.name)),
    }


def running_estimate(campaign: Campaign) -> str:
    """What is known so far, for the line of progress."""
    counts = campaign.counts
    if not counts.sightings:
        return f"not seen in {format_times(counts.runs, 'run')}"
    best = max(campaign.bandit.arms.values(), key=lambda arm: arm.sightings / arm.seconds if arm.seconds else 0)
    rate = format_share(best.sightings / best.runs)
    return f"seen in {counts.sightings:,} of {format_times(counts.runs, 'run')}, {rate} with {best.name}"


def campaign_lines(campaign: Campaign, context: CampaignContext) -> list[str]:
    """The result for people."""
    lines = [f"race {campaign.sought.id}: {campaign.sought.title}", "", _headline(campaign)]
    if campaign.counts.sightings and (best := campaign.best):
        command = command_for(context.plan, campaign.configuration_named(best.arm.name))
        lines += ["", f"shown best with {best.arm.name}:", f"  {command or 'no command: a name in it cannot be shown'}"]
        lines.append(
            f"  {best.arm.sightings:,} of {format_times(best.arm.runs, 'run')}, {format_share(best.rate.low)} to"
            f" {format_share(best.rate.high)}; best with probability {format_share(best.probability)}"
        )
    lines += ["", *_configuration_table(campaign)]
    lines += ["", *(f"{label}: {text}" for label, text in _context_rows(campaign, context))]
    return [visible_text(line) for line in lines]


def _headline(campaign: Campaign) -> str:
    counts = campaign.counts
    ending = " (interrupted)" if campaign.was_interrupted else ""
    if not counts.sightings:
        if not counts.runs:
            return f"not seen: no run tells anything{ending}"
        bound = upper_bound(0, counts.runs, CONFIDENCE)
        return (
            f"not seen in {format_times(counts.runs, 'run')}{ending}: it shows in less than {format_share(bound)} of"
            f" such runs (95 %), or not here"
        )
    interval = clopper_pearson_interval(counts.sightings, counts.runs, CONFIDENCE)
    times = "once" if counts.sightings == 1 else f"in {counts.sightings:,} runs"
    return (
        f"seen {times} of {counts.runs:,}{ending}: {format_share(counts.sightings / counts.runs)} of runs over all"
        f" configurations, {format_share(interval.low)} to {format_share(interval.high)} (95 %)"
    )


def _configuration_table(campaign: Campaign) -> list[str]:
    arms = [arm for arm in campaign.bandit.arms.values() if arm.runs]
    width = max((len(arm.name) for arm in arms), default=0)
    rows = []
    for arm in arms:
        interval = clopper_pearson_interval(arm.sightings, arm.runs, CONFIDENCE)
        rows.append(
            f"{arm.name:{width}}  seen {arm.sightings:>5,} of {arm.runs:>6,}"
            f"  {format_share(interval.low):>7} to {format_share(interval.high):>7}  {arm.seconds_per_run:.2f} s each"
        )
    return rows


def _context_rows(campaign: Campaign, context: CampaignContext) -> list[tuple[str, str]]:
    counts = campaign.counts
    rows = [("commit", f"{context.commit[:12]}, {context.commit_note}"), ("command", context.plan.command)]
    place = context.place
    rows.append(("run", ", ".join(filter(None, (context.toolchain, place.isolation, place.description)))))
    rows.append(("time", f"{campaign.elapsed:.1f} s with {format_times(place.jobs, 'job')}"))
    rows += [("host", f"{name}: seen in {seen:,} of {format_times(runs, 'run')}")
             for name, (runs, seen) in counts.hosts.items()]  # fmt: skip
    rows += [("renamed", how) for how in counts.renamings if how != IDENTITY]
    rows += [("another race", f"{race} in {format_times(n, 'run')}: {title}")
             for race, (title, n) in counts.other_races.items()]  # fmt: skip
    rows += [("failure", f"{text} ({format_times(number, 'run')})") for text, number in counts.failures.items()]
    if counts.vacuous:
        rows.append(("no test", f"in {format_times(counts.vacuous, 'run')} no test ran, or it was skipped"))
    if counts.incomplete:
        rows.append(("not counted", f"{format_times(counts.incomplete, 'run')} ended before the race could show"))
    return [*rows, *(("note", note) for note in context.notes)]


def campaign_markdown(campaign: Campaign, context: CampaignContext) -> str:
    """The result to paste into an issue."""
    _counts, best = campaign.counts, campaign.best
    lines = [f"### Reproduction of race {quote_code(campaign.sought.id)}", "", quote_code(campaign.sought.title), ""]
    lines += [f"**{_headline(campaign)}**", ""]
    if best:
        command = command_for(context.plan, campaign.configuration_named(best.arm.name))
        fence = "```"
        lines += [f"Shown best with {quote_code(best.arm.name)}:", "", f"{fence}sh", command or "", fence, ""]
    lines += ["| configuration | seen | of | 95 % |", "| --- | --: | --: | --- |"]
    for arm in filter(lambda arm: arm.runs, campaign.bandit.arms.values()):
        interval = clopper_pearson_interval(arm.sightings, arm.runs, CONFIDENCE)
        share = f"{format_share(interval.low)} to {format_share(interval.high)}"
        lines.append(f"| {quote_code(arm.name)} | {arm.sightings} | {arm.runs} | {share} |")
    lines.append("")
    lines += [f"- {label}: {quote_code(text)}" for label, text in _context_rows(campaign, context)]
    return "\n".join(visible_text(line) for line in lines) + "\n"
