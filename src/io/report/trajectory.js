// Quantities against each other, in the plane or in space; the motion of the points.

// Where points were left out the others may be far apart: lines between them would be chords.
function isFarApart(line) {
    if (report.points.points === report.points.all_points) return false;
    let sum = 0;
    for (const values of [line.x, line.y, line.z].filter(Boolean)) {
        let low = Infinity, high = -Infinity, jumps = 0;
        for (let k = 0; k < values.length; ++k) {
            if (values[k] < low) low = values[k];
            if (values[k] > high) high = values[k];
            if (k > 0) jumps += Math.abs(values[k] - values[k - 1]) || 0;
        }
        if (high > low) sum += jumps / (high - low) / values.length;
    }
    return sum > 0.03;
}

class Trajectory {
    constructor() {
        const first = defaultCurves();
        this.curves = first.curves; // of names: [x, y] or [x, y, z]
        this.host = el("div", { class: "plot tall", id: "trajectory" });
        const onPoint = (line, k) => setCursor(snapped(line.rows ? line.rows[k] : k));
        this.plane = new Chart(this.host, { label: "Trajectory in the plane", isEqual: first.isSpace, byX: false, onPoint, onView: viewChanged });
        this.space = new Space(this.host, { label: "Trajectory in space; drag to turn", onPoint, onView: viewChanged });
        this.space.isEqual = first.isSpace;
        this.selects = [0, 1, 2].map((axis) => el("select", { "aria-label": `Axis ${"xyz"[axis]}`, onchange: () => this.fromSelects(false) }));
        this.equal = checkbox("equal axes", "A unit is as long in all directions", first.isSpace, (isOn) => this.setEqual(isOn));
        const hasLinks = report.system.hidden_constraints > 0 && this.curves.length > 1;
        this.join = checkbox("join points", "A line through the points of all curves at the same time", hasLinks, () => this.showCursor());
        this.slider = el("input", { type: "range", min: "0", max: String(Math.max(0, rows.n - 1)), value: "0", "aria-label": "Point of the run", oninput: () => setCursor(Number(this.slider.value)) });
        this.playButton = button("▶ Play", "The motion", () => this.play());
        this.time = el("output", { class: "time" }, "");
        this.legend = el("div", { class: "legend" });
        this.fillSelects();
        this.element = el("section", { class: "card", id: "against" },
            el("h2", {}, "Against each other"),
            el("div", { class: "bar" },
                el("span", { class: "axes" }, el("label", {}, "x ", this.selects[0]), el("label", {}, "y ", this.selects[1]), el("label", {}, "z ", this.selects[2])),
                button("Add", "Draw this curve beside the others", () => this.fromSelects(true)),
                button("Reset", "Show everything (double click, or key 0)", () => this.active().reset()),
                this.equal.label, this.join.label),
            this.host, this.legend,
            el("div", { class: "bar" }, this.playButton, this.slider, this.time));
        cursorListeners.push(() => this.showCursor());
        this.setCurves(this.curves);
    }
    get isSpace() { return this.curves.length > 0 && this.curves.every((curve) => curve.length === 3); }
    active() { return this.isSpace ? this.space : this.plane; }
    setEqual(isOn) {
        this.plane.isEqual = this.space.isEqual = isOn;
        this.equal.input.checked = isOn;
        this.active().plan();
        viewChanged();
    }

    // Whole families, to draw all their elements, then each quantity.
    fillSelects() {
        const most = 3000;
        const option = (value, text) => el("option", { value }, text);
        this.selects.forEach((select, axis) => {
            const arrays = families.filter((f) => f.columns.length > 1);
            select.replaceChildren(...(axis === 2 ? [option("", "none: in the plane")] : []), option(report.independent, report.independent),
                ...(arrays.length ? [el("optgroup", { label: "all elements" }, arrays.map((f) => option(`*${f.key}`, f.label)))] : []),
                el("optgroup", { label: "one quantity" }, columns.slice(0, most).map((c) => option(c.name, c.name))));
        });
    }
    fromSelects(isAdded) {
        const values = this.selects.map((select) => select.value).filter((value, axis) => axis < 2 || value);
        const lists = values.map((value) => (value.startsWith("*") ? familyByKey.get(value.slice(1)).columns.map((c) => c.name) : [value]));
        const n = Math.max(...lists.map((list) => list.length));
        const sound = lists.filter((list) => list.length === n || list.length === 1);
        if (sound.length !== lists.length) return this.legend.replaceChildren(el("span", { class: "faint" }, "These families have different numbers of elements."));
        const places = spread(Array.from({ length: n }, (_, k) => k), 400);
        const made = places.map((k) => lists.map((list) => (list.length === 1 ? list[0] : list[k])));
        const isKept = isAdded && this.curves.every((curve) => curve.length === values.length);
        this.plane.view = null;
        this.setCurves(isKept ? [...this.curves, ...made] : made);
        viewChanged();
    }
    showSelects() {
        const [first, last] = [this.curves[0], this.curves[this.curves.length - 1]];
        this.selects.forEach((select, axis) => {
            if (!first || axis >= first.length) return void (select.value = "");
            const family = families.find((f) => f.columns.length > 1 && f.columns.some((c) => c.name === first[axis]));
            const isFamily = family && first[axis] !== last[axis] && family.columns.some((c) => c.name === last[axis]);
            select.value = isFamily ? `*${family.key}` : first[axis];
        });
    }
    // Outputs have values at reported points only: then all have.
    lineOf(curve, k) {
        const parts = curve.map(findColumn);
        const chosen = parts.some((c) => c.rows) ? rows.reported : null;
        const values = (c) => (chosen ? (c.rows ? c.values : chosen.map((row) => c.values[row])) : c.values);
        const line = {
            name: curve.join(", "), color: paletteColor(k), rows: chosen, isFaint: this.curves.length > 8,
            x: values(parts[0]), y: values(parts[1]), z: parts[2] && values(parts[2]),
        };
        line.isPoints = report.section || isFarApart(line);
        return line;
    }
    setCurves(curves) {
        const dimension = curves.length ? Math.min(...curves.map((c) => c.length)) : 2;
        this.curves = curves.map((c) => c.slice(0, dimension));
        const lines = this.curves.map((curve, k) => this.lineOf(curve, k));
        this.plane.canvas.hidden = this.isSpace;
        this.space.canvas.hidden = !this.isSpace;
        const axisName = (axis) => {
            const names = [...new Set(this.curves.map((c) => c[axis]))];
            if (names.length === 1) return names[0];
            const bases = [...new Set(names.map((n) => n.replace(/\[[^\]]*\]/, "")))];
            return bases.length === 1 ? bases[0] : names.slice(0, 3).join(", ") + (names.length > 3 ? ", …" : "");
        };
        if (this.isSpace) {
            this.plane.setLines([]);
            this.space.setLines(lines, [0, 1, 2].map(axisName));
        } else {
            this.plane.xLabel = this.curves.length ? axisName(0) : "";
            this.plane.yLabel = this.curves.length ? axisName(1) : "";
            this.plane.setLines(lines);
        }
        this.lines = lines;
        this.join.label.hidden = this.curves.length < 2;
        this.showLegend();
        this.showSelects();
        this.showCursor();
    }
    showLegend() {
        if (this.curves.length < 2) return this.legend.replaceChildren();
        if (this.curves.length > 12) return this.legend.replaceChildren(el("span", { class: "faint" }, `${grouped(this.curves.length)} curves, from ${this.curves[0].join(", ")} to ${this.curves[this.curves.length - 1].join(", ")}`));
        this.legend.replaceChildren(...this.curves.map((curve, k) => el("button", {
            type: "button", class: "key", title: "Remove this curve", onclick: () => {
                this.setCurves(this.curves.filter((other) => other !== curve));
                viewChanged();
            },
        }, el("span", { class: "swatch", style: `background: var(--line-${k % 8})` }), curve.join(", "), el("span", { class: "cross" }, "×"))));
    }
    showCursor() {
        const row = cursorRow === null && this.join.input.checked ? 0 : cursorRow;
        this.slider.value = String(cursorRow ?? 0);
        this.time.textContent = rows.n ? `${report.independent} = ${short(rows.t[cursorRow ?? 0])}` : "";
        const at = (curve) => curve.map((name) => findColumn(name).at(row));
        if (row === null || !rows.n) {
            this.plane.cursor = this.space.cursor = null;
        } else {
            const points = this.curves.map((curve, k) => ({ at: at(curve), color: paletteColor(k) }));
            const path = this.join.input.checked && this.curves.length > 1 ? points.map((p) => p.at) : null;
            this.space.cursor = { points, path };
            this.plane.cursor = { points: points.map((p) => ({ x: p.at[0], y: p.at[1], color: p.color })), path };
            this.host.dataset.at = points.slice(0, 20).map((p) => p.at.map(exact).join(" ")).join(";");
        }
        this.active().plan();
    }
    // The whole run in eight seconds, by the independent variable or the arclength.
    play() {
        if (this.timer) {
            cancelAnimationFrame(this.timer);
            this.timer = null;
            this.playButton.textContent = "▶ Play";
            return;
        }
        const tau = rows.s.length ? rows.s : rows.t, end = tau.length - 1;
        if (end < 1) return;
        let row = cursorRow === null || cursorRow >= end ? 0 : cursorRow;
        const isLog = isLogarithmicTime(); // by points then
        const duration = 8000;
        let last = null, part = isLog ? row / end : (tau[row] - tau[0]) / (tau[end] - tau[0]);
        const frame = (now) => {
            part = Math.min(1, part + (last === null ? 0 : (now - last) / duration));
            last = now;
            if (isLog) row = Math.round(part * end);
            else while (row < end && (tau[row + 1] - tau[0]) / (tau[end] - tau[0]) <= part) ++row;
            setCursor(row);
            if (part < 1) this.timer = requestAnimationFrame(frame);
            else this.play();
        };
        this.playButton.textContent = "❚❚ Pause";
        this.timer = requestAnimationFrame(frame);
    }
}
