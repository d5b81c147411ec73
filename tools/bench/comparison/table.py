"""Medians, ratios and the table."""

import statistics

from comparison.pair_sampler import kept

HEAD = ("row", "kind", "pairs", "ours", "theirs", "ratio", "of pairs", "bar", "", "baseline's variant")


def summarise(measurement, pairs, kind):
    """Returns one row per bar."""
    chosen, good = kept(pairs, kind)
    return [summary(row, bar, chosen, good) for row, bar in measurement.bars.items()]


def summary(row, bar, kind, pairs):
    result = {"row": row, "kind": kind, "pairs": len(pairs), "bar": None, "pass": None}
    judging = bar is not None and bar.limit is not None
    if judging:
        result.update(bar=bar.at(kind), at_most=bar.at_most, absolute=bar.absolute)
    result["unit"] = bar.unit if bar else "s"
    try:
        _, ours = values(pairs, "ours", row, bar)
        variant, theirs = values(pairs, "theirs", row, bar)
    except KeyError:
        return dict(result, failure="one side has no value for this row")
    if ours:
        result["ours"] = statistics.median(ours)
    if theirs:
        result.update(theirs=statistics.median(theirs), variant=variant)
    if ours and theirs:
        result["ratio"] = result["ours"] / result["theirs"]
        result["ratio_of_pairs"] = statistics.median(a / b for a, b in zip(ours, theirs))
    judged = result.get("ours" if bar and bar.absolute else "ratio")
    if judging and judged is not None:
        result["pass"] = bar.passes(judged, kind)
    return result


def values(pairs, side, row, bar):
    """Returns (variant, its values) of the variant with the best median."""
    samples = [pair[side][row] for pair in pairs if pair[side] is not None]
    if not samples:
        return "", []
    columns = {variant: [sample[variant] for sample in samples] for variant in samples[0]}
    best = max if bar and not bar.at_most else min
    return best(columns.items(), key=lambda column: statistics.median(column[1]))


def failed(measurement, message):
    return [{"row": row, "failure": message, "pass": None, "bar": bar.limit if bar else None}
            for row, bar in measurement.bars.items()]


def skipped(measurement, reason):
    return [{"row": measurement.name, "skipped": reason, "pass": None, "bar": None}]


def show(rows, wanted):
    lines = [HEAD] + [line(row, wanted) for row in rows if "failure" not in row and "skipped" not in row]
    widths = [max(len(cells[i]) for cells in lines) for i in range(len(HEAD))]
    for cells in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())
    for row in rows:
        if "failure" in row:
            print(f"{row['row']}: FAILED: {row['failure']}")
        if "skipped" in row:
            print(f"{row['row']}: skipped: {row['skipped']}")


def line(row, wanted):
    pairs = str(row["pairs"]) + (f" of {wanted}" if row["pairs"] < wanted else "")
    unit = row["unit"]
    return (row["row"], row["kind"] or "none", pairs, figure(row.get("ours"), unit),
            figure(row.get("theirs"), unit), plain(row.get("ratio")), plain(row.get("ratio_of_pairs")),
            bar_text(row), verdict(row), row.get("variant", ""))


def bar_text(row):
    if row["bar"] is None:
        return "-"
    sign = "<=" if row["at_most"] else ">="
    return f"{sign} {figure(row['bar'], row['unit']) if row['absolute'] else format(row['bar'], 'g')}"


def verdict(row):
    if row["bar"] is None:
        return ""
    return {True: "pass", False: "MISSED", None: "not measured"}[row["pass"]]


def plain(value):
    return "-" if value is None else f"{value:.3f}"


def figure(value, unit):
    """Formats times in ns, us, ms or s, rates in millions or GB per second."""
    if value is None:
        return "-"
    if unit == "1":
        return f"{value:.3f}"
    if unit == "1/s":
        return f"{value / 1e6:.2f} M/s"
    if unit == "B/s":
        return f"{value / 1e9:.2f} GB/s"
    for scale, name in ((1e-6, "ns"), (1e-3, "us"), (1, "ms")):
        if value < scale:
            return f"{value / scale * 1e3:.4g} {name}"
    return f"{value:.4g} s"
