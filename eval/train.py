"""`make train`: the weights and the calibration of the diagnosis, from facts about labelled races.

    python -m eval.train                    train with the recorded corpus and `real_race_facts.jsonl`
    python -m eval.train --mirrors ~/src    first collect the facts of the learnt real races again, from clones

A softmax over the possible causes of a race maximises the probability of its accepted causes, with an L2 penalty. The
calibration is an isotonic regression over the answers of a cross-validation that leaves out whole repositories.
Unseen races (`unseen_races.jsonl`) are never read.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression, minimize
from scipy.sparse import csr_matrix

from corpus.store import HELD_OUT
from deadheat import plugins
from deadheat.diagnosis import ranker
from deadheat.diagnosis.context import RaceContext
from deadheat.diagnosis.facts.collection import collect_facts
from deadheat.diagnosis.inferred_access import infer_other_side
from deadheat.repo.clone import Clone, CommitSnapshot
from deadheat.repo.code_diagnosis import code_at_pin
from deadheat.repo.git import GitReader
from deadheat.repo.likely_variable import likely_variable
from deadheat.repo.racing_lines import find_racing_lines
from deadheat.repo.variable import find_variable
from eval.causes import truth_of_variable
from eval.labelled_reports import VERSION_ONLY, load_recordings
from eval.program_source import load_source, pinned_code
from eval.real_races import find_clone, quoted_report, read_sample
from eval.reliability import Answer, reliability_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.diagnosis.facts.code_facts import CodeReader
    from deadheat.model import Report
    from eval.labelled_reports import Part
    from eval.real_races import RealRace

REAL_FACTS = Path(__file__).with_name("real_race_facts.jsonl")
WEIGHTS = Path(ranker.__file__).with_name("weights.json")
MODES = ranker.WITH_SOURCE, ranker.REPORT_ONLY
_PENALTY, _BIAS_PENALTY = 1.0, 0.1
_CORPUS_WEIGHT = 0.3  # of a recorded race compared with a real one
_ALSO_WEIGHT = 0.7  # of another accepted cause compared with the labelled one
_MIN_RACES = 3  # with a fact that gets a weight
_MIN_WEIGHT = 0.05  # smaller weights are left out
_FOLDS, _SEED = 10, 3
# so many of the answers with a probability of at least _CONFIDENT may be wrong; more make it less
_CONFIDENT, _MAX_WRONG_OF_CONFIDENT = 0.8, 0.05
_MIN_PROBABILITY, _MAX_PROBABILITY = 0.25, 0.97  # the ends have too few races for more


class LabelledFacts(NamedTuple):
    """The facts about a race with every accepted cause, the best first. `features` has one set per mode."""

    group: str  # repository or recorded program
    detector: str
    causes: tuple[str, ...]
    features: dict[str, frozenset[str]]
    is_real: bool


def features_of(report: Report, code: CodeReader | None) -> frozenset[str]:
    context = RaceContext(report, code)
    if code is not None and (inferred := infer_other_side(context)) is not None:
        context = RaceContext(inferred.report, code, inferred=True)
    return collect_facts(context)[0].features


# --- collecting -----------------------------------------------------------------------------------


def corpus_rows() -> Iterator[LabelledFacts]:
    """One report of each recorded race and detector."""
    parts: tuple[Part, ...] = ("open", "aside", *HELD_OUT)
    for part in parts:
        seen = set()
        for recording in load_recordings(part, languages=("c", "rust")):
            if recording.kind != VERSION_ONLY:
                continue
            program, _, name = recording.uri.partition("/")
            truth = json.loads((recording.folder / "truth.json").read_text(encoding="utf-8"))
            source = load_source(recording.folder, name)
            for item in recording.items:
                variable = item.race.partition(" ")[2].partition(" (")[0]
                label = truth_of_variable(truth, variable)
                report = item.sighting.report if item.sighting else None
                if label is None or report is None or (program, variable, report.detector) in seen:
                    continue
                seen.add((program, variable, report.detector))
                sets = features_of(report, pinned_code(source, report)), features_of(report, None)
                causes = label.cause, *sorted(label.also)
                yield LabelledFacts(program, report.detector, causes, dict(zip(MODES, sets, strict=True)), False)


def collect_real_rows(mirrors: Path) -> Iterator[LabelledFacts]:
    """The learnt real races, with the code before their fixes."""
    for race in read_sample():
        repository = find_clone(mirrors, race.repo)
        row = _real_row(race, repository) if repository else None
        if row is None:
            print(f"{race.repo} {race.commit[:10]}: no clone or no report", file=sys.stderr)
        else:
            yield row


def _real_row(race: RealRace, repository: Path) -> LabelledFacts | None:
    with GitReader(str(repository)) as git, Clone(git) as clone:
        message = (git.read_object(race.commit) or b"").partition(b"\n\n")[2]
        report = quoted_report(message, race.report)
        parent = next(git.output_lines("rev-parse", f"{race.commit}^"), "") if report else ""
        if report is None or not parent:
            return None
        snapshot = CommitSnapshot(clone, clone.tree_at(parent))
        lines = find_racing_lines(clone, snapshot.tree, report)
        variable = find_variable(snapshot.tree, lines, report) or likely_variable(snapshot.tree, lines)
        code = code_at_pin(snapshot, (), lines, variable)
        sets = features_of(report, code), features_of(report, None)
        return LabelledFacts(
            race.repo, report.detector, (race.cause, *race.also), dict(zip(MODES, sets, strict=True)), True
        )


def write_real_rows(rows: Sequence[LabelledFacts]) -> None:
    lines = [
        json.dumps([r.group, r.detector, r.causes, *[sorted(r.features[mode]) for mode in MODES]], ensure_ascii=False)
        for r in rows
    ]
    REAL_FACTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_real_rows() -> list[LabelledFacts]:
    rows = []
    for line in REAL_FACTS.read_text(encoding="utf-8").splitlines():
        group, detector, causes, *sets = json.loads(line)
        features = {mode: frozenset(names) for mode, names in zip(MODES, sets, strict=True)}
        rows.append(LabelledFacts(group, detector, tuple(causes), features, True))
    return rows


# --- training -------------------------------------------------------------------------------------


def possible_causes(features: frozenset[str]) -> list[str]:
    return [name for name, definition in plugins.causes_by_name().items() if definition.is_possible(features)]


def fit(rows: Sequence[LabelledFacts], mode: str) -> ranker.Model:
    """The weights that make the accepted causes most probable."""
    causes = list(plugins.causes_by_name())
    counts = Counter(feature for row in rows for feature in row.features[mode])
    vocabulary = {f: i for i, f in enumerate(sorted(f for f, count in counts.items() if count >= _MIN_RACES))}
    accepted = np.zeros((len(rows), len(causes)))
    excluded = np.full((len(rows), len(causes)), -1e3)
    entries: list[tuple[int, int]] = []
    for at, row in enumerate(rows):
        for name in row.causes[1:]:
            accepted[at, causes.index(name)] = _ALSO_WEIGHT
        accepted[at, causes.index(row.causes[0])] = 1
        excluded[at, [causes.index(name) for name in possible_causes(row.features[mode])]] = 0
        entries += [(at, vocabulary[f]) for f in row.features[mode] if f in vocabulary]
    is_usable = ((accepted > 0) & (excluded == 0)).any(axis=1)
    weight = np.array([1 if row.is_real else _CORPUS_WEIGHT for row in rows]) * is_usable
    shape = len(rows), len(vocabulary)
    matrix = csr_matrix((np.ones(len(entries)), tuple(zip(*entries, strict=True))), shape=shape)
    size = shape[1] * len(causes)
    # recorded programs show each cause about as often as any other: they get a bias of their own, which is not kept
    is_recorded = np.array([[not row.is_real] for row in rows], dtype=float)

    def loss(parameters: Any) -> tuple[float, Any]:
        weights, bias, recorded_bias = _split(parameters, size, len(causes))
        scores = matrix @ weights + bias + is_recorded * recorded_bias + excluded
        scores -= scores.max(axis=1, keepdims=True)
        shares = np.exp(scores)
        shares /= shares.sum(axis=1, keepdims=True)
        hits = shares * accepted
        total = hits.sum(axis=1) + 1e-12
        gradient = (shares - hits / total[:, None]) * weight[:, None]
        value = -(weight * np.log(total)).sum() + _PENALTY / 2 * (weights**2).sum()
        value += _BIAS_PENALTY / 2 * ((bias**2).sum() + (recorded_bias**2).sum())
        slopes = matrix.T @ gradient + _PENALTY * weights
        biases = gradient.sum(axis=0) + _BIAS_PENALTY * bias
        recorded_biases = (is_recorded * gradient).sum(axis=0) + _BIAS_PENALTY * recorded_bias
        return value, np.concatenate([slopes.ravel(), biases, recorded_biases])

    found = minimize(loss, np.zeros(size + 2 * len(causes)), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    weights, bias, _ = _split(found, size, len(causes))
    table = {f: _rounded(zip(causes, weights[at], strict=True)) for f, at in vocabulary.items()}
    return ranker.Model(_rounded(zip(causes, bias, strict=True)), {f: w for f, w in table.items() if w}, (0.0,), (0.0,))


def _split(parameters: Any, size: int, count: int) -> tuple[Any, Any, Any]:
    return parameters[:size].reshape(-1, count), parameters[size : size + count], parameters[size + count :]


def _rounded(weights: Any) -> dict[str, float]:
    return {cause: round(float(weight), 2) for cause, weight in weights if abs(weight) >= _MIN_WEIGHT}


def cross_validate(
    real: Sequence[LabelledFacts], recorded: Sequence[LabelledFacts], mode: str
) -> list[list[tuple[str, float]]]:
    """The shares of each real race's causes, by weights that were trained without its repository."""
    groups = sorted({row.group for row in real})
    random.Random(_SEED).shuffle(groups)
    fold = {group: at % _FOLDS for at, group in enumerate(groups)}
    shares: list[list[tuple[str, float]]] = [[] for _ in real]
    for one in range(_FOLDS):
        model = fit([*(row for row in real if fold[row.group] != one), *recorded], mode)
        for at, row in enumerate(real):
            if fold[row.group] == one:
                features = row.features[mode]
                shares[at] = ranker.cause_shares(model, features, possible_causes(features))
    return shares


def calibrate(
    real: Sequence[LabelledFacts], shares: Sequence[Sequence[tuple[str, float]]]
) -> list[tuple[float, float]]:
    """Steps: from which share on a first cause is right with which probability."""
    pairs = sorted((found[0][1], found[0][0] in row.causes) for row, found in zip(real, shares, strict=True))
    values = isotonic_regression([float(is_right) for _, is_right in pairs]).x
    confident = max(
        (n for n in range(1, len(pairs) + 1) if _wrong_share(pairs[-n:]) <= _MAX_WRONG_OF_CONFIDENT), default=0
    )
    values[: len(pairs) - confident] = np.minimum(values[: len(pairs) - confident], _CONFIDENT - 0.01)
    steps: list[tuple[float, float]] = []
    for (share, _), value in zip(pairs, values, strict=True):
        probability = round(min(max(float(value), _MIN_PROBABILITY), _MAX_PROBABILITY), 2)
        if not steps or probability != steps[-1][1]:
            steps.append((round(share, 3) if steps else 0.0, probability))
    return steps


def _wrong_share(pairs: Sequence[tuple[float, bool]]) -> float:
    return sum(not is_right for _, is_right in pairs) / len(pairs)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.train", description=__doc__)
    parser.add_argument("--mirrors", type=Path, help="folder of clones, to collect the facts of real races again")
    parser.add_argument("--dry", action="store_true", help="print only; do not write the weights")
    args = parser.parse_args(arguments)
    if args.mirrors:
        write_real_rows(list(collect_real_rows(args.mirrors)))
    real, recorded = read_real_rows(), list(corpus_rows())
    data, answers = {}, []
    for mode in MODES:
        shares = cross_validate(real, recorded, mode)
        steps = calibrate(real, shares)
        model = fit([*real, *recorded], mode)
        data[mode] = {"calibration": steps, "bias": model.bias, "weights": model.weights}
        calibrated = model._replace(thresholds=tuple(s for s, _ in steps), probabilities=tuple(p for _, p in steps))
        for language in ("Go", "C and C++"):
            rows = [
                (r, s) for r, s in zip(real, shares, strict=True) if r.detector.startswith("go") == (language == "Go")
            ]
            answers.append((f"learnt, {mode}, {language}", [_answer(row, found, calibrated) for row, found in rows]))
    print("\n".join(reliability_table(answers)))
    if not args.dry:
        WEIGHTS.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


def _answer(row: LabelledFacts, shares: Sequence[tuple[str, float]], model: ranker.Model) -> Answer:
    named = [(cause, ranker.calibrated(model, share) if at == 0 else share) for at, (cause, share) in enumerate(shares)]
    return Answer(row.group, row.detector, tuple(named), frozenset(row.causes))


if __name__ == "__main__":
    sys.exit(main())
