// Quantities over the independent variable: which ones, on which scale; the cursor and its read-out.

// The row under the cursor, shared by all plots; null: none.
let cursorRow = null;
const cursorListeners = [];

function setCursor(row) {
    if (row === cursorRow || (row !== null && !(row >= 0 && row < rows.n))) return;
    cursorRow = row;
    for (const listener of cursorListeners) listener();
}

// Of a row under the pointer: where an output of the model is shown, the nearest row that has its value.
function snapped(row) {
    if (rows.place[row] >= 0 || !page || !page.series.chosen.some((c) => c.rows)) return row;
    for (let by = 1; by < rows.n; ++by)
        for (const other of [row - by, row + by]) if (rows.place[other] >= 0) return other;
    return row;
}

function moveCursor(by) {
    setCursor(cursorRow === null ? (by > 0 ? 0 : rows.n - 1) : Math.max(0, Math.min(rows.n - 1, cursorRow + by)));
}

function nearestRow(t) {
    let best = 0;
    for (let k = 1; k < rows.n; ++k) if (Math.abs(rows.t[k] - t) < Math.abs(rows.t[best] - t)) best = k;
    return best;
}

function button(text, title, action) {
    return el("button", { type: "button", title, onclick: action }, text);
}

function checkbox(text, title, isOn, action) {
    const input = el("input", { type: "checkbox", checked: isOn, onchange: () => action(input.checked) });
    return { input, label: el("label", { class: "check", title }, input, text) };
}

class Series {
    constructor() {
        this.chosen = defaultColumns();
        this.isScaled = true; // small ones are enlarged by powers of ten
        const host = el("div", { class: "plot tall", id: "series" });
        this.chart = new Chart(host, {
            label: `Quantities over ${report.independent}`,
            xLabel: report.independent,
            logX: isLogarithmicTime(),
            onPoint: (line, k) => setCursor(snapped(line.rows ? line.rows[k] : k)),
            onView: viewChanged,
        });
        this.chart.marks = report.events.entries.map((event) => ({ x: event.t, text: event.name }));
        this.legend = el("div", { class: "legend", id: "legend" });
        this.readout = el("div", { class: "readout", id: "readout", "aria-live": "polite" });
        this.chooser = new Chooser(this);
        this.logX = checkbox("log " + report.independent, "Logarithmic scale of the horizontal axis", this.chart.logX, (isOn) => this.setLog(isOn, this.chart.logY));
        this.logY = checkbox("log values", "Logarithmic scale of the values; those ≤ 0 are left out", false, (isOn) => this.setLog(this.chart.logX, isOn));
        this.scaled = checkbox("enlarge small ones", "Curves that would lie on the axis are multiplied by a power of ten", true, (isOn) => {
            this.isScaled = isOn;
            this.update();
            viewChanged();
        });
        this.element = el("section", { class: "card", id: "over-time" },
            el("h2", {}, `Over ${report.independent}`),
            el("div", { class: "bar" },
                button("Reset", "Show everything (double click, or key 0)", () => this.chart.reset()),
                button("+", "Zoom in (key +)", () => this.chart.zoom(0.7)),
                button("−", "Zoom out (key -)", () => this.chart.zoom(1 / 0.7)),
                this.logX.label, this.logY.label, this.scaled.label,
                el("span", { class: "spring" }),
                button("CSV of these", "The chosen quantities at the reported points", () => download(`${report.model.name}.csv`, csvText(this.chosen), "text/csv")),
                button("CSV of all", "All quantities of this page at the reported points", () => download(`${report.model.name}.csv`, csvText(columns), "text/csv"))),
            el("div", { class: "split" }, el("div", { class: "wide" }, host, this.legend, this.readout), this.chooser.element),
            el("p", { class: "hint" }, "Drag to zoom into a box, shift-drag to move, wheel to zoom once the plot has been clicked, double click to reset. Keys: ← → move the cursor, + − 0 zoom, shift-arrows move the view."));
        cursorListeners.push(() => this.showCursor());
        this.update();
    }
    setLog(logX, logY) {
        Object.assign(this.chart, { logX, logY, view: null });
        this.logX.input.checked = logX;
        this.logY.input.checked = logY;
        this.update();
        viewChanged();
    }
    choose(list) {
        this.chosen = list;
        this.update();
        this.chooser.update();
        viewChanged();
    }
    // Powers of ten by which curves are enlarged that would lie on the axis beside the others.
    powers() {
        const sizes = this.chosen.map((column) => column.values.reduce((most, v) => (Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0));
        const largest = Math.max(...sizes);
        return sizes.map((size) => {
            if (!this.isScaled || this.chart.logY || size === 0 || size > 0.01 * largest) return 0;
            const power = Math.floor(Math.log10(largest / size));
            return power > 300 ? 0 : power;
        });
    }
    update() {
        const powers = (this.shownPowers = this.powers());
        this.chart.setLines(this.chosen.map((column, k) => ({
            name: column.name,
            color: paletteColor(k),
            rows: column.rows,
            x: column.rows ? column.rows.map((row) => rows.t[row]) : rows.t,
            y: powers[k] ? column.values.map((v) => v * 10 ** powers[k]) : column.values,
            isPoints: report.section,
        })));
        this.legend.replaceChildren(...this.chosen.map((column, k) => el("button", {
            type: "button", class: "key", title: `Hide ${column.name}`, "data-name": column.name, "data-power": powers[k],
            onclick: () => this.choose(this.chosen.filter((c) => c !== column)),
        }, el("span", { class: "swatch", style: `background: var(--line-${k % 8})` }), column.name, powers[k] ? ` · ${powerText(powers[k])}` : "", el("span", { class: "cross" }, "×"))));
        this.scaled.label.hidden = this.isScaled && powers.every((p) => p === 0);
        this.showCursor();
    }
    showCursor() {
        const row = cursorRow;
        if (row === null || !rows.n) {
            this.chart.cursor = null;
            this.readout.replaceChildren(el("span", { class: "faint" }, "Values under the pointer appear here."));
            delete this.readout.dataset.t;
        } else {
            const points = this.chosen.map((column, k) => ({ x: rows.t[row], y: column.at(row) * 10 ** this.shownPowers[k], color: paletteColor(k) }));
            this.chart.cursor = { x: rows.t[row], points };
            this.readout.dataset.t = exact(rows.t[row]);
            this.readout.dataset.reported = rows.place[row] >= 0 ? "yes" : "no";
            const entry = (name, value, k) => el("span", { class: "value", "data-name": name, "data-value": exact(value) },
                k !== null && el("span", { class: "swatch", style: `background: var(--line-${k % 8})` }), `${name} = ${Number.isNaN(value) && columnByName.get(name)?.rows ? "–" : short(value, 9)}`);
            this.readout.replaceChildren(
                entry(report.independent, rows.t[row], null),
                ...(rows.s.length ? [entry("s", rows.s[row], null)] : []),
                ...this.chosen.slice(0, 40).map((column, k) => entry(column.name, column.at(row), k)));
        }
        this.chart.plan();
    }
}

// The list of quantities: families folded, a filter for many.
class Chooser {
    constructor(series) {
        this.series = series;
        this.opened = new Set();
        this.list = el("div", { class: "list", role: "group", "aria-label": "Quantities to show" });
        this.filter = el("input", { type: "search", placeholder: `Filter ${columns.length === 1 ? "1 quantity" : `${grouped(columns.length)} quantities`}`, "aria-label": "Filter the list of quantities", oninput: () => this.update() });
        this.element = el("aside", { class: "chooser" }, this.filter, this.list,
            el("div", { class: "bar" },
                button("Default", "Back to what was shown at first", () => series.choose(defaultColumns())),
                button("None", "Hide all", () => series.choose([]))));
        this.update();
    }
    item(column) {
        const place = this.series.chosen.indexOf(column);
        const { label } = checkbox("", column.name, place >= 0, (isOn) =>
            this.series.choose(isOn ? [...this.series.chosen, column] : this.series.chosen.filter((c) => c !== column)));
        label.append(el("span", { class: "swatch", style: place >= 0 ? `background: var(--line-${place % 8})` : "" }), column.name, column.isOutput ? el("span", { class: "faint" }, " output") : "");
        label.dataset.name = column.name;
        return label;
    }
    update() {
        const most = 200;
        const wanted = this.filter.value.trim().toLowerCase();
        const parts = [];
        for (const family of families) {
            const matching = wanted ? family.columns.filter((c) => c.name.toLowerCase().includes(wanted)) : family.columns;
            if (matching.length === 0) continue;
            if (family.columns.length === 1) {
                parts.push(this.item(matching[0]));
                continue;
            }
            const n = family.columns.filter((c) => this.series.chosen.includes(c)).length;
            const isOpen = this.opened.has(family.key) || Boolean(wanted) || families.length === 1;
            const details = el("details", { open: isOpen, ontoggle: () => {
                const was = this.opened.has(family.key);
                if (details.open) this.opened.add(family.key);
                else this.opened.delete(family.key);
                if (details.open && !was && details.childElementCount === 1) this.fill(details, matching, most);
            } }, el("summary", {}, el("span", {}, family.label), el("span", { class: "faint" }, n ? ` ${n} of ${family.columns.length}` : ` ${family.columns.length}`)));
            if (isOpen) this.fill(details, matching, most);
            parts.push(details);
            if (parts.length > 2000) break;
        }
        if (parts.length === 0) parts.push(el("p", { class: "faint" }, columns.length ? "No quantity has this in its name." : "There are no values."));
        this.list.replaceChildren(...parts);
    }
    fill(details, matching, most) {
        details.append(...matching.slice(0, most).map((column) => this.item(column)));
        if (matching.length > most) details.append(el("p", { class: "faint" }, `${grouped(matching.length - most)} more: type a name, such as ${matching[most].name}`));
    }
}
