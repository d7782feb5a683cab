"use strict";
// The data of the page: one JSON object, its long lists of numbers as base64 of their bytes.

const report = JSON.parse(document.getElementById("data").textContent);

function bytesOf(text) {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let k = 0; k < raw.length; ++k) bytes[k] = raw.charCodeAt(k);
    return bytes;
}

function numbersOf(text) {
    return new Float64Array(bytesOf(text).buffer);
}

// The rows: reported points, and points of the curve between them.
const rows = (() => {
    const points = report.points;
    const t = numbersOf(points.t);
    const reported = [], place = new Int32Array(t.length).fill(-1); // of a row among the reported ones
    const flags = points.reported ? bytesOf(points.reported) : null;
    for (let k = 0; k < t.length; ++k) if (!flags || flags[k]) place[k] = reported.push(k) - 1;
    const isMonotone = t.every((value, k) => k === 0 || (t[t.length - 1] >= t[0] ? value >= t[k - 1] : value <= t[k - 1]));
    return { t, s: numbersOf(points.s), reported, place, isMonotone, n: t.length };
})();

// One quantity. Outputs of the model have values at reported points only.
class Column {
    constructor(entry, place) {
        this.name = entry.name;
        this.isOutput = entry.output;
        this.place = place;
        this.packed = entry.values;
        this.unpacked = null;
    }
    get values() {
        if (!this.unpacked) {
            this.unpacked = numbersOf(this.packed);
            this.packed = null;
        }
        return this.unpacked;
    }
    // The rows its values belong to; null: all.
    get rows() {
        return this.isOutput && rows.reported.length !== rows.n ? rows.reported : null;
    }
    get isDerivative() {
        return this.name.endsWith("'");
    }
    get isMultiplier() {
        return /^(lambda|λ)(\[|'|$)/.test(this.name);
    }
    at(row) {
        const place = this.rows ? rows.place[row] : row;
        return place < 0 ? NaN : this.values[place];
    }
}

const columns = report.points.columns.map((entry, place) => new Column(entry, place));
const columnByName = new Map(columns.map((column) => [column.name, column]));

// The independent variable, as a quantity to draw against.
const timeColumn = { name: report.independent, values: rows.t, rows: null, isOutput: false, at: (row) => rows.t[row] };

function findColumn(name) {
    return columnByName.get(name) || (name === report.independent ? timeColumn : null);
}

// Families: x[1], x[2], … with the same number of primes are one, a scalar is one of its own.
const families = (() => {
    const byKey = new Map();
    for (const column of columns) {
        const parts = column.name.match(/^([^[]*)\[([^\]]*)\](.*)$/);
        const key = parts ? `${parts[1]}[]${parts[3]}` : column.name;
        if (!byKey.has(key)) byKey.set(key, { key, base: parts ? parts[1] : column.name, primes: parts ? parts[3] : "", columns: [], isArray: Boolean(parts) });
        byKey.get(key).columns.push(column);
    }
    for (const family of byKey.values()) {
        const last = family.columns[family.columns.length - 1];
        family.label = family.isArray ? `${family.columns[0].name} … ${last.name}` : family.key;
        if (family.columns.length === 1) family.label = last.name;
    }
    return [...byKey.values()];
})();
const familyByKey = new Map(families.map((family) => [family.key, family]));

// n of a list, evenly, the first and the last included.
function spread(list, n) {
    if (list.length <= n) return list.slice();
    return Array.from({ length: n }, (_, k) => list[n === 1 ? 0 : Math.floor((k * (list.length - 1)) / (n - 1))]);
}

// What is shown at first: the unknowns without derivatives and multipliers, at most eight of them.
function defaultColumns() {
    const most = 8;
    let chosen = families.filter((f) => !f.columns[0].isDerivative && !f.columns[0].isOutput);
    const others = chosen.filter((f) => !f.columns[0].isMultiplier);
    if (others.length > 0) chosen = others;
    if (chosen.length === 0) chosen = families;
    chosen = chosen.slice(0, most);
    return chosen.flatMap((f) => spread(f.columns, Math.max(1, Math.floor(most / chosen.length))));
}

// Times that grow by orders of magnitude, as in chemistry: half of the points lie in the first thousandth.
function isLogarithmicTime() {
    const t = rows.t, n = t.length;
    if (n < 10 || t[0] < 0 || !(t[n - 1] > t[0])) return false;
    return t[n >> 1] - t[0] < 1e-3 * (t[n - 1] - t[0]);
}

// Populations are called x and y, too: a unit is as long in all directions only where it can be seen well.
function isWellShaped(curves) {
    const extents = curves[0].map((_, axis) => {
        let low = Infinity, high = -Infinity;
        for (const curve of curves)
            for (const v of columnByName.get(curve[axis]).values) {
                if (v < low) low = v;
                if (v > high) high = v;
            }
        return high - low;
    });
    return Math.max(...extents) < 5 * Math.min(...extents) || curves[0].length === 3;
}

// The curves to draw against each other: points (x, y), (x, y, z) or x[i], y[i], …, else a phase plot.
function defaultCurves() {
    const main = families.filter((f) => !f.columns[0].isDerivative && !f.columns[0].isMultiplier && !f.columns[0].isOutput);
    const partner = (family, letter) => {
        const other = familyByKey.get(letter + family.key.slice(1));
        return other && other.columns.length === family.columns.length ? other : null;
    };
    const curves = [];
    for (const x of main.filter((f) => f.base.startsWith("x"))) {
        const y = partner(x, "y"), z = y && partner(x, "z");
        if (!y) continue;
        for (const k of spread(x.columns.map((_, place) => place), 400))
            curves.push([x, y, z].filter(Boolean).map((f) => f.columns[k].name));
    }
    if (curves.length > 0) return { curves, isSpace: isWellShaped(curves) };
    if (main.length === 0) return { curves: [], isSpace: false };
    const first = main[0];
    if (first.columns.length === 3 && /^[xq]$/.test(first.base))
        return { curves: [first.columns.map((c) => c.name)], isSpace: true };
    // q1, q2, q3, q4 of a mechanism: points of the plane
    const names = main.map((f) => f.key);
    const prefix = names[0].replace(/\d+$/, "");
    const isNumbered = names.every((name, k) => name === prefix + (k + 1));
    if (report.system.class === "holonomic" && isNumbered && names.length >= 4 && names.length % 2 === 0)
        return { curves: Array.from({ length: names.length / 2 }, (_, k) => [names[2 * k], names[2 * k + 1]]), isSpace: true };
    const second = findColumn(`${first.columns[0].name}'`) || (main[1] || first).columns[main[1] ? 0 : 1];
    return { curves: second ? [[first.columns[0].name, second.name]] : [], isSpace: false };
}
