// Fields in colours: u[n] over the independent variable and the index, u[n,m] over both indices at the time of the cursor.

// Families with so many elements are fields; of two indices, each with at least so many values.
const leastOfField = 12, leastOfSide = 4;

// Dark to light: blue, green, yellow.
const fieldColors = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

function fieldColor(part) {
    const at = Math.max(0, Math.min(1, part)) * (fieldColors.length - 1), k = Math.min(fieldColors.length - 2, Math.floor(at));
    return fieldColors[k].map((from, c) => Math.round(from + (at - k) * (fieldColors[k + 1][c] - from)));
}

// The indices of a family's elements as a grid, all of it there; null: it is none.
function gridOf(family) {
    if (!family.isArray || family.columns.length < leastOfField || family.columns[0].isMultiplier) return null;
    const places = family.columns.map((column) => column.name.match(/\[([\d,]+)\]/)?.[1].split(",").map(Number));
    if (places.some((place) => !place || place.length !== places[0].length)) return null;
    if (places[0].length === 1) return { rows: places.map((place) => place[0]), columns: null, values: family.columns };
    if (places[0].length !== 2) return null;
    const distinct = (axis) => [...new Set(places.map((place) => place[axis]))].sort((a, b) => a - b);
    const down = distinct(0), across = distinct(1);
    if (down.length < leastOfSide || across.length < leastOfSide || down.length * across.length !== family.columns.length) return null;
    const values = new Array(family.columns.length);
    places.forEach((place, k) => (values[down.indexOf(place[0]) * across.length + across.indexOf(place[1])] = family.columns[k]));
    return { rows: down, columns: across, values };
}

const fields = families.map((family) => ({ family, grid: gridOf(family) })).filter((field) => field.grid);

class FieldMap extends Canvas {
    constructor(host) {
        super(host, "A field in colours");
        this.field = null;
        this.canvas.addEventListener("pointermove", (event) => this.point(event));
        this.canvas.addEventListener("keydown", (event) => {
            if (event.key === "ArrowLeft") moveCursor(-1);
            else if (event.key === "ArrowRight") moveCursor(1);
            else return;
            event.preventDefault();
        });
    }
    show(field) {
        this.field = field;
        let low = Infinity, high = -Infinity;
        for (const column of field.grid.values)
            for (const v of column.values) {
                if (v < low) low = v;
                if (v > high) high = v;
            }
        this.range = high > low ? [low, high] : [low - 1, low + 1];
        this.plan();
    }
    get isOverTime() { return !this.field.grid.columns; }
    point(event) {
        if (!this.inner || !this.isOverTime || !rows.n) return;
        const part = (this.place(event)[0] - this.inner.l) / this.inner.w;
        if (part >= 0 && part <= 1) setCursor(snapped(this.rowAt(part)));
    }
    // Of a part of the width: the row nearest in time, or in number where time turns back.
    rowAt(part) {
        const n = rows.n;
        if (!rows.isMonotone) return Math.round(part * (n - 1));
        const t = rows.t[0] + part * (rows.t[n - 1] - rows.t[0]), isForward = rows.t[n - 1] >= rows.t[0];
        let low = 0, high = n - 1;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (rows.t[middle] <= t === isForward) low = middle;
            else high = middle;
        }
        return Math.abs(rows.t[high] - t) < Math.abs(rows.t[low] - t) ? high : low;
    }
    // One pixel an element, and along time as many as there is room for.
    image() {
        const { grid } = this.field, ny = grid.rows.length, nx = this.isOverTime ? Math.max(2, Math.min(1200, Math.round(this.inner.w))) : grid.columns.length;
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [nx, ny];
        const g = canvas.getContext("2d"), image = g.createImageData(nx, ny), [low, high] = this.range;
        const at = cursorRow === null ? rows.n - 1 : cursorRow;
        for (let x = 0; x < nx; ++x) {
            const row = this.isOverTime ? this.rowAt((x + 0.5) / nx) : at;
            for (let y = 0; y < ny; ++y) {
                const value = grid.values[this.isOverTime ? y : y * nx + x].at(row), pixel = 4 * ((ny - 1 - y) * nx + x);
                const [red, green, blue] = fieldColor((value - low) / (high - low));
                image.data.set(Number.isFinite(value) ? [red, green, blue, 255] : [0, 0, 0, 0], pixel);
            }
        }
        g.putImageData(image, 0, 0);
        return canvas;
    }
    draw(g) {
        if (!this.field || !rows.n) return;
        const { grid } = this.field;
        this.inner = { l: 56, t: 10, w: this.width - 56 - 90, h: this.height - 10 - 42 };
        const { l, t, w, h } = this.inner;
        g.imageSmoothingEnabled = false;
        g.drawImage(this.image(), l, t, w, h);
        g.fillStyle = g.strokeStyle = themeColor("soft");
        g.strokeRect(l, t, w, h);
        g.textBaseline = "middle";
        g.textAlign = "right";
        this.labels(grid.rows, h, (at, text) => g.fillText(text, l - 6, t + h - at));
        g.textAlign = "center";
        const below = t + h + 14;
        if (!this.isOverTime) this.labels(grid.columns, w, (at, text) => g.fillText(text, l + at, below));
        else if (rows.isMonotone)
            for (const tick of ticks(Math.min(rows.t[0], rows.t[rows.n - 1]), Math.max(rows.t[0], rows.t[rows.n - 1]), Math.max(2, w / 90), false))
                g.fillText(tick.text, l + ((tick.at - rows.t[0]) / (rows.t[rows.n - 1] - rows.t[0])) * w, below);
        g.fillText(this.isOverTime ? report.independent : "second index", l + w / 2, t + h + 32);
        this.drawKey(g, l + w + 16, t, h);
        if (this.isOverTime && cursorRow !== null && rows.isMonotone) {
            const x = l + ((rows.t[cursorRow] - rows.t[0]) / (rows.t[rows.n - 1] - rows.t[0] || 1)) * w;
            g.strokeStyle = themeColor("accent");
            g.beginPath();
            g.moveTo(x, t);
            g.lineTo(x, t + h);
            g.stroke();
        }
        this.host.dataset.field = this.field.family.key;
        this.host.dataset.range = this.range.map(exact).join(" ");
    }
    // Some of the indices, in the middle of their cells.
    labels(indices, length, write) {
        const step = Math.max(1, Math.ceil((indices.length * 34) / length));
        for (let k = 0; k < indices.length; k += step) write(((k + 0.5) / indices.length) * length, String(indices[k]));
    }
    drawKey(g, x, t, h) {
        const n = 64;
        for (let k = 0; k < n; ++k) {
            g.fillStyle = `rgb(${fieldColor((k + 0.5) / n).join(",")})`;
            g.fillRect(x, t + h - ((k + 1) / n) * h, 14, h / n + 1);
        }
        g.fillStyle = themeColor("soft");
        g.textAlign = "left";
        const [low, high] = this.range;
        for (const tick of ticks(low, high, Math.max(2, h / 60), false))
            g.fillText(tick.text, x + 19, t + h - ((tick.at - low) / (high - low)) * h);
    }
}

// The card: which field, and the time that is shown of a field in the plane.
class Fields {
    constructor() {
        this.host = el("div", { class: "plot tall", id: "field" });
        this.map = new FieldMap(this.host);
        this.select = el("select", { "aria-label": "Field", onchange: () => this.choose(fields[this.select.selectedIndex]) }, fields.map((field) => el("option", {}, field.family.label)));
        this.slider = el("input", { type: "range", min: "0", max: String(Math.max(0, rows.n - 1)), value: String(rows.n - 1), "aria-label": "Point of the run", oninput: () => setCursor(Number(this.slider.value)) });
        this.playButton = button("▶ Play", "The field in the course of time", () => this.play());
        this.time = el("output", { class: "time" }, "");
        this.bar = el("div", { class: "bar" }, this.playButton, this.slider, this.time);
        this.element = el("section", { class: "card", id: "fields" },
            el("h2", {}, "Fields"),
            fields.length > 1 ? el("div", { class: "bar" }, this.select) : el("p", { class: "hint" }, fields[0].family.label),
            this.host, this.bar);
        cursorListeners.push(() => this.showCursor());
        this.choose(fields[0]);
    }
    choose(field) {
        this.map.show(field);
        this.bar.hidden = this.map.isOverTime;
        this.showCursor();
    }
    showCursor() {
        const row = cursorRow === null ? rows.n - 1 : cursorRow;
        this.slider.value = String(row);
        this.time.textContent = `${report.independent} = ${short(rows.t[row])}`;
        this.map.plan();
    }
    // All of the run in about eight seconds.
    play() {
        if (this.timer) {
            clearInterval(this.timer);
            this.timer = null;
            this.playButton.textContent = "▶ Play";
            return;
        }
        const frames = 200, begin = cursorRow === null || cursorRow >= rows.n - 1 ? 0 : cursorRow;
        let frame = Math.round((begin / Math.max(1, rows.n - 1)) * frames);
        this.playButton.textContent = "❚❚ Pause";
        this.timer = setInterval(() => {
            setCursor(this.map.rowAt(Math.min(1, frame / frames)));
            if (++frame > frames) this.play();
        }, 40);
    }
}
