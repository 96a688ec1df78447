"""A line chart as inline SVG: no script, its colours from the page's style sheet.

Lines differ in form and not in colour alone; every point has a title with its numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup, escape

from memory_core.cli.report import axis

WIDTH, HEIGHT = 480, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 12, 30

Point = tuple[datetime, float]


@dataclass(frozen=True, slots=True)
class Line:
    """`form` is "a" (solid, dots) or "b" (dashed, squares); points are in order of time.

    `breaks` are the points, from 0, that no line leads to: what lies before does not compare.
    """

    name: str
    form: str
    points: Sequence[Point]
    breaks: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """`name` is unique on the page; `marks` are horizontal lines: a value and its label.

    `decimals` are those of the numbers at points; `said` describes the chart to who cannot
    see it.
    """

    name: str
    title: str
    said: str
    lines: Sequence[Line]
    marks: Sequence[tuple[float, str]] = ()
    decimals: int = 2


def draw(chart: Chart) -> Markup:
    """The SVG element; nothing for a chart without a point."""
    points = [point for line in chart.lines for point in line.points]
    if not points:
        return Markup("")
    frame = _Frame(points, [value for value, _ in chart.marks])
    parts = [*_grid(frame), *_marks(frame, chart.marks)]
    for line in chart.lines:
        parts += _line(frame, line, chart.decimals)
    return Markup(
        '<svg viewBox="0 0 {} {}" role="img" aria-labelledby="{n}-t {n}-d">'
        '<title id="{n}-t">{}</title><desc id="{n}-d">{}</desc>{}</svg>'
    ).format(WIDTH, HEIGHT, chart.title, chart.said, Markup("").join(parts), n=chart.name)


class _Frame:
    """Time and value to places in the picture."""

    def __init__(self, points: Sequence[Point], marked: Iterable[float]) -> None:
        times, values = [at for at, _ in points], [value for _, value in points]
        self.first, self.last = min(times), max(times)
        self.ticks = axis.values(*axis.roomy(min([*values, *marked]), max([*values, *marked])))

    def x(self, at: datetime) -> float:
        whole = (self.last - self.first).total_seconds()
        share = (at - self.first).total_seconds() / whole if whole else 0.5
        return round(_LEFT + share * (WIDTH - _LEFT - _RIGHT), 1)

    def y(self, value: float) -> float:
        low, high = self.ticks[0], self.ticks[-1]
        share = (value - low) / (high - low)
        return round(HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM), 1)


def _grid(frame: _Frame) -> Iterator[Markup]:
    for tick in frame.ticks:
        y = frame.y(tick)
        yield Markup('<line class="grid" x1="{}" x2="{}" y1="{y}" y2="{y}"/>').format(
            _LEFT, WIDTH - _RIGHT, y=y
        )
        yield Markup('<text class="end" x="{}" y="{}">{:g}</text>').format(_LEFT - 6, y + 4, tick)
    form = axis.span(frame.first, frame.last)
    moments = axis.moments(frame.first, frame.last)
    for number, at in enumerate(moments):
        place = "mid" if 0 < number < len(moments) - 1 or len(moments) == 1 else "start"
        place = "end" if number and number == len(moments) - 1 else place
        yield Markup('<text class="{}" x="{}" y="{}">{}</text>').format(
            place, frame.x(at), HEIGHT - 8, f"{at:{form}}"
        )


def _marks(frame: _Frame, marks: Sequence[tuple[float, str]]) -> Iterator[Markup]:
    for value, label in marks:
        y = frame.y(value)
        yield Markup('<line class="mark" x1="{}" x2="{}" y1="{y}" y2="{y}"/>').format(
            _LEFT, WIDTH - _RIGHT, y=y
        )
        yield Markup('<text x="{}" y="{}">{}</text>').format(_LEFT + 3, y - 5, label)


def _line(frame: _Frame, line: Line, decimals: int) -> Iterator[Markup]:
    ends = [*line.breaks, len(line.points)]
    for first, end in zip([0, *line.breaks], ends, strict=True):
        path = " ".join(f"{frame.x(at)},{frame.y(value)}" for at, value in line.points[first:end])
        yield Markup('<polyline class="line {}" points="{}"/>').format(line.form, path)
    for at, value in line.points:
        told = escape(f"{line.name} {value:.{decimals}f}, {at:%Y-%m-%d %H:%M}")
        yield Markup("<g>{}<title>{}</title></g>").format(
            _point(line.form, frame.x(at), frame.y(value)), told
        )


def _point(form: str, x: float, y: float) -> Markup:
    if form == "a":
        return Markup('<circle class="dot a" cx="{}" cy="{}" r="3.5"/>').format(x, y)
    return Markup('<rect class="dot b" x="{}" y="{}" width="7" height="7"/>').format(
        round(x - 3.5, 1), round(y - 3.5, 1)
    )
