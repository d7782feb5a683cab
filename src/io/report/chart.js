// A plot in the plane, on a canvas: lines or points, zoom, pan, a cursor.
//
// The view is kept in scaled coordinates, log10 of the values on a logarithmic axis, so that zoom and pan are linear.

// Colours of the theme, asked for once until it changes.
const themeColors = new Map();

function themeColor(name) {
    if (!themeColors.has(name)) themeColors.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
    return themeColors.get(name);
}

function paletteColor(k) {
    return themeColor(`line-${k % 8}`);
}

// Round numbers of an axis, at most about n of them; on a logarithmic one powers of ten, and parts of them if it is short.
function ticks(low, high, n, isLog) {
    const result = [];
    if (!(high > low)) return result;
    if (isLog && high - low > 1.2) {
        const step = Math.max(1, Math.ceil((high - low) / n));
        for (let k = Math.ceil(low / step) * step; k <= high + 1e-9; k += step) result.push({ at: k, text: powerText(k) });
        return result;
    }
    if (isLog) {
        for (let k = Math.floor(low); k <= high; ++k)
            for (const part of high - low > 0.5 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]) {
                const at = k + Math.log10(part);
                if (at >= low && at <= high) result.push({ at, text: short(part * 10 ** k, 3) });
            }
        return result.length > 1 ? result : [low, high].map((at) => ({ at, text: short(10 ** at, 4) }));
    }
    const rough = (high - low) / n, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough * 0.999) || rough;
    const digits = Math.max(6, Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / step)) + 2);
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && result.length < 50; ++k)
        result.push({ at: k * step, text: short(k * step, Math.min(16, digits)) });
    return result;
}

function powerText(k) {
    const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    const raised = [...String(k)].map((c) => (c === "-" ? "⁻" : digits[Number(c)])).join("");
    return k >= 0 && k <= 3 ? String(10 ** k) : `10${raised}`;
}

// A canvas that fills its host and is drawn anew when the size, the theme or what it shows changes; at most once a frame.
class Canvas {
    constructor(host, label) {
        this.host = host;
        this.canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": label });
        host.append(this.canvas);
        this.isPlanned = false;
        new ResizeObserver(() => this.plan()).observe(host);
    }
    plan() {
        if (this.isPlanned) return;
        this.isPlanned = true;
        requestAnimationFrame(() => this.drawNow());
    }
    drawNow() {
        this.isPlanned = false;
        const ratio = window.devicePixelRatio || 1;
        this.width = this.host.clientWidth;
        this.height = this.host.clientHeight;
        if (this.width < 20 || this.height < 20) return;
        const w = Math.round(this.width * ratio), h = Math.round(this.height * ratio);
        if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
        const g = this.canvas.getContext("2d");
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        g.clearRect(0, 0, this.width, this.height);
        g.font = `12px ${getComputedStyle(document.body).fontFamily}`;
        this.draw(g);
    }
    // The pointer belongs to this canvas until it is released, also outside of it.
    capture(event) {
        try {
            this.canvas.setPointerCapture(event.pointerId);
        } catch {
            // it was released already, or was none of a device
        }
    }
    place(event) {
        const box = this.canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    }
}

class Chart extends Canvas {
    // onPoint(line, k): the nearest point under the pointer or the keys; onView(): after zoom and pan
    constructor(host, { label, xLabel = "", yLabel = "", logX = false, logY = false, isEqual = false, byX = true, onPoint = null, onView = null }) {
        super(host, label);
        Object.assign(this, { xLabel, yLabel, logX, logY, isEqual, byX, onPoint, onView });
        this.lines = [];  // {name, color, x, y, isPoints, isFaint}
        this.marks = [];  // {x, text}: vertical lines
        this.cursor = null; // {x, points: [{x, y, color}], path: [[x, y], …]}
        this.view = null; // null: all of it
        this.drag = null;
        this.listen();
    }
    setLines(lines) {
        this.lines = lines;
        this.extent = null;
        this.plan();
    }
    scaleX(x) { return this.logX ? Math.log10(x) : x; }
    scaleY(y) { return this.logY ? Math.log10(y) : y; }

    // All finite points, with some room.
    full() {
        if (this.extent) return this.extent;
        let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
        for (const line of this.lines)
            for (let k = 0; k < line.x.length; ++k) {
                const x = this.scaleX(line.x[k]), y = this.scaleY(line.y[k]);
                if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
                if (x < x0) x0 = x;
                if (x > x1) x1 = x;
                if (y < y0) y0 = y;
                if (y > y1) y1 = y;
            }
        if (!(x1 >= x0)) return [0, 1, 0, 1];
        const room = (low, high, part) => {
            const size = high - low, least = 1e-12 * Math.max(Math.abs(low), Math.abs(high));
            return size > least ? [low - part * size, high + part * size] : [low - (Math.abs(low) * 0.1 || 1), high + (Math.abs(high) * 0.1 || 1)];
        };
        this.extent = [...room(x0, x1, !this.byX || !rows.isMonotone ? 0.05 : this.lines.some((line) => line.isPoints) ? 0.015 : 0), ...room(y0, y1, 0.06)];
        return this.extent;
    }
    reset() { this.setView(null); }
    setView(view) {
        const isSound = view && view.every(Number.isFinite) && view[1] > view[0] && view[3] > view[2];
        const tiny = (low, high) => high - low < 1e-13 * Math.max(Math.abs(low), Math.abs(high), 1e-290);
        if (view && (!isSound || tiny(view[0], view[1]) || tiny(view[2], view[3]))) return;
        this.view = view;
        this.plan();
        if (this.onView) this.onView();
    }
    // The view as drawn: with equal axes a unit is as long in both directions.
    shown() {
        const [x0, x1, y0, y1] = this.view || this.full();
        if (!this.isEqual || this.logX || this.logY) return [x0, x1, y0, y1];
        const scale = Math.max((x1 - x0) / this.inner.w, (y1 - y0) / this.inner.h) / 2;
        const x = (x0 + x1) / 2, y = (y0 + y1) / 2;
        return [x - scale * this.inner.w, x + scale * this.inner.w, y - scale * this.inner.h, y + scale * this.inner.h];
    }
    toPixel(x, y) {
        const [x0, x1, y0, y1] = this.current, { l, t, w, h } = this.inner;
        return [l + ((this.scaleX(x) - x0) / (x1 - x0)) * w, t + h - ((this.scaleY(y) - y0) / (y1 - y0)) * h];
    }
    fromPixel(px, py) { // to scaled coordinates
        const [x0, x1, y0, y1] = this.current, { l, t, w, h } = this.inner;
        return [x0 + ((px - l) / w) * (x1 - x0), y0 + ((t + h - py) / h) * (y1 - y0)];
    }

    draw(g) {
        this.inner = { l: 56, t: 10, w: this.width - 56 - 14, h: this.height - 10 - 42 };
        this.current = this.shown();
        const yTicks = ticks(this.current[2], this.current[3], Math.max(2, this.inner.h / 45), this.logY);
        const left = Math.max(34, ...yTicks.map((tick) => g.measureText(tick.text).width + 14)) + (this.yLabel ? 18 : 0);
        this.inner.l = left;
        this.inner.w = this.width - left - 14;
        this.current = this.shown();
        const xTicks = ticks(this.current[0], this.current[1], Math.max(2, this.inner.w / 90), this.logX);
        this.drawGrid(g, xTicks, ticks(this.current[2], this.current[3], Math.max(2, this.inner.h / 45), this.logY));
        const { l, t, w, h } = this.inner;
        g.save();
        g.beginPath();
        g.rect(l, t, w, h);
        g.clip();
        this.drawMarks(g);
        for (const line of this.lines) this.drawLine(g, line);
        this.drawCursor(g);
        g.restore();
        if (this.lines.every((line) => !line.x.length)) this.drawNothing(g);
        if (this.drag && this.drag.box) this.drawBox(g);
        this.tell();
    }
    drawGrid(g, xTicks, yTicks) {
        const { l, t, w, h } = this.inner;
        g.strokeStyle = themeColor("grid");
        g.fillStyle = themeColor("soft");
        g.lineWidth = 1;
        g.textAlign = "center";
        g.textBaseline = "top";
        g.beginPath();
        for (const tick of xTicks) {
            const x = Math.round(l + ((tick.at - this.current[0]) / (this.current[1] - this.current[0])) * w) + 0.5;
            g.moveTo(x, t);
            g.lineTo(x, t + h);
            g.fillText(tick.text, Math.min(x, l + w - g.measureText(tick.text).width / 2 + 10), t + h + 7);
        }
        g.textAlign = "right";
        g.textBaseline = "middle";
        for (const tick of yTicks) {
            const y = Math.round(t + h - ((tick.at - this.current[2]) / (this.current[3] - this.current[2])) * h) + 0.5;
            g.moveTo(l, y);
            g.lineTo(l + w, y);
            g.fillText(tick.text, l - 8, y);
        }
        g.stroke();
        g.strokeStyle = themeColor("axis");
        g.strokeRect(l + 0.5, t + 0.5, w - 1, h - 1);
        g.fillStyle = themeColor("text");
        g.textAlign = "center";
        g.textBaseline = "alphabetic";
        g.fillText(this.xLabel, l + w / 2, this.height - 6);
        if (this.yLabel) {
            g.save();
            g.translate(12, t + h / 2);
            g.rotate(-Math.PI / 2);
            g.fillText(this.yLabel, 0, 0);
            g.restore();
        }
    }
    drawMarks(g) {
        const { t, h } = this.inner;
        g.strokeStyle = g.fillStyle = themeColor("mark");
        g.lineWidth = 1;
        let lastText = -Infinity;
        g.textAlign = "left";
        g.textBaseline = "top";
        for (const mark of this.marks) {
            const x = Math.round(this.toPixel(mark.x, 1)[0]) + 0.5;
            if (!Number.isFinite(x)) continue;
            g.setLineDash([3, 4]);
            g.beginPath();
            g.moveTo(x, t);
            g.lineTo(x, t + h);
            g.stroke();
            g.setLineDash([]);
            if (x < lastText + 6) continue;
            g.fillText(mark.text, x + 4, t + 4);
            lastText = x + g.measureText(mark.text).width;
        }
    }
    drawLine(g, line) {
        g.globalAlpha = line.isFaint ? 0.35 : 1;
        g.strokeStyle = g.fillStyle = line.color;
        g.lineWidth = line.isFaint ? 1 : 1.6;
        g.lineJoin = "round";
        const n = line.x.length;
        if (line.isPoints) {
            const r = n > 4000 ? 1 : n > 300 ? 1.5 : 2.2;
            for (let k = 0; k < n; ++k) {
                const [x, y] = this.toPixel(line.x[k], line.y[k]);
                if (Number.isFinite(x) && Number.isFinite(y)) g.fillRect(x - r, y - r, 2 * r, 2 * r);
            }
        } else {
            const limit = 1e6; // far outside of the canvas
            let isOpen = false, lastX = 0, lastY = 0;
            g.beginPath();
            for (let k = 0; k < n; ++k) {
                let [x, y] = this.toPixel(line.x[k], line.y[k]);
                if (!Number.isFinite(x) || !Number.isFinite(y)) {
                    isOpen = false;
                    continue;
                }
                x = Math.max(-limit, Math.min(limit, x));
                y = Math.max(-limit, Math.min(limit, y));
                if (isOpen && k + 1 < n && Math.abs(x - lastX) < 0.25 && Math.abs(y - lastY) < 0.25) continue;
                if (isOpen) g.lineTo(x, y);
                else g.moveTo(x, y);
                isOpen = true;
                [lastX, lastY] = [x, y];
            }
            g.stroke();
        }
        g.globalAlpha = 1;
    }
    drawCursor(g) {
        if (!this.cursor) return;
        const { t, h } = this.inner;
        if (this.byX && Number.isFinite(this.cursor.x)) {
            const x = this.toPixel(this.cursor.x, 1)[0];
            g.strokeStyle = themeColor("soft");
            g.lineWidth = 1;
            g.beginPath();
            g.moveTo(x, t);
            g.lineTo(x, t + h);
            g.stroke();
        }
        if (this.cursor.path) {
            g.strokeStyle = themeColor("text");
            g.lineWidth = 1.8;
            g.beginPath();
            this.cursor.path.forEach(([x, y], k) => (k ? g.lineTo(...this.toPixel(x, y)) : g.moveTo(...this.toPixel(x, y))));
            g.stroke();
        }
        for (const point of this.cursor.points || []) {
            const [x, y] = this.toPixel(point.x, point.y);
            if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
            g.beginPath();
            g.arc(x, y, this.cursor.points.length > 40 ? 2.5 : 4.2, 0, 2 * Math.PI);
            g.fillStyle = point.color;
            g.fill();
            g.strokeStyle = themeColor("card");
            g.lineWidth = 1.5;
            g.stroke();
        }
    }
    drawNothing(g) {
        g.fillStyle = themeColor("soft");
        g.textAlign = "center";
        g.fillText("nothing is chosen", this.inner.l + this.inner.w / 2, this.inner.t + this.inner.h / 2);
    }
    drawBox(g) {
        const { from, to } = this.drag;
        g.fillStyle = themeColor("box");
        g.strokeStyle = themeColor("accent");
        g.lineWidth = 1;
        g.fillRect(from[0], from[1], to[0] - from[0], to[1] - from[1]);
        g.strokeRect(from[0], from[1], to[0] - from[0], to[1] - from[1]);
    }
    // What is drawn, for readers that do not see it.
    tell() {
        const [x0, x1, y0, y1] = this.current;
        const unscaled = [this.logX ? 10 ** x0 : x0, this.logX ? 10 ** x1 : x1, this.logY ? 10 ** y0 : y0, this.logY ? 10 ** y1 : y1];
        this.host.dataset.view = unscaled.map(exact).join(" ");
        this.host.dataset.lines = this.lines.map((line) => encodeURIComponent(line.name)).join(" ");
        this.host.dataset.points = String(this.lines.reduce((sum, line) => sum + line.x.length, 0));
    }

    zoom(factor, px, py) {
        const [x, y] = this.fromPixel(px ?? this.inner.l + this.inner.w / 2, py ?? this.inner.t + this.inner.h / 2);
        const [x0, x1, y0, y1] = this.current;
        this.setView([x + (x0 - x) * factor, x + (x1 - x) * factor, y + (y0 - y) * factor, y + (y1 - y) * factor]);
    }
    pan(partX, partY) {
        const [x0, x1, y0, y1] = this.current;
        const dx = partX * (x1 - x0), dy = partY * (y1 - y0);
        this.setView([x0 + dx, x1 + dx, y0 + dy, y1 + dy]);
    }
    // Of all lines the nearest point: by x where lines run over it, else on the screen.
    nearest(px, py) {
        let best = null, least = Infinity;
        for (const line of this.lines)
            for (let k = 0; k < line.x.length; ++k) {
                const [x, y] = this.toPixel(line.x[k], line.y[k]);
                const distance = this.byX && rows.isMonotone ? Math.abs(x - px) + 1e-4 * Math.abs(y - py) : Math.hypot(x - px, y - py);
                if (distance < least) {
                    least = distance;
                    best = { line, k };
                }
            }
        return best;
    }
    point(px, py) {
        const found = this.onPoint && this.current && this.nearest(px, py);
        if (found) this.onPoint(found.line, found.k);
    }

    listen() {
        const canvas = this.canvas;
        canvas.addEventListener("pointerdown", (event) => {
            if (event.button > 1 || !this.current) return;
            const from = this.place(event);
            const isPan = event.shiftKey || event.button === 1 || event.pointerType === "touch";
            this.drag = { from, to: from, box: false, isPan, view: this.current };
            this.capture(event);
        });
        canvas.addEventListener("pointermove", (event) => {
            const at = this.place(event);
            if (!this.drag) return this.point(...at);
            const { from, isPan, view } = this.drag;
            this.drag.to = at;
            if (isPan) {
                const dx = ((from[0] - at[0]) / this.inner.w) * (view[1] - view[0]), dy = ((at[1] - from[1]) / this.inner.h) * (view[3] - view[2]);
                this.setView([view[0] + dx, view[1] + dx, view[2] + dy, view[3] + dy]);
            } else {
                this.drag.box = Math.hypot(at[0] - from[0], at[1] - from[1]) > 5;
                this.plan();
            }
        });
        const end = (event) => {
            const drag = this.drag;
            this.drag = null;
            if (!drag || drag.isPan) return;
            if (event.type === "pointerup" && drag.box) this.zoomTo(drag.from, drag.to);
            else this.plan();
        };
        canvas.addEventListener("pointerup", end);
        canvas.addEventListener("pointercancel", end);
        canvas.addEventListener("dblclick", () => this.reset());
        canvas.addEventListener("wheel", (event) => {
            if (document.activeElement !== canvas && !event.ctrlKey && !event.metaKey) return; // the page scrolls
            event.preventDefault();
            this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), ...this.place(event));
        }, { passive: false });
        canvas.addEventListener("keydown", (event) => this.key(event));
    }
    // A box that is flat zooms in one direction only.
    zoomTo(from, to) {
        let [x0, y0] = this.fromPixel(Math.min(from[0], to[0]), Math.max(from[1], to[1]));
        let [x1, y1] = this.fromPixel(Math.max(from[0], to[0]), Math.min(from[1], to[1]));
        if (Math.abs(from[1] - to[1]) < 12) [, , y0, y1] = this.current;
        if (Math.abs(from[0] - to[0]) < 12) [x0, x1] = this.current;
        this.setView([x0, x1, y0, y1]);
    }
    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || !this.current) return;
        const pans = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
        if (event.key === "+" || event.key === "=") this.zoom(0.8);
        else if (event.key === "-") this.zoom(1.25);
        else if (event.key === "0" || event.key === "Escape") this.reset();
        else if (pans[event.key] && (event.shiftKey || event.key === "ArrowUp" || event.key === "ArrowDown")) this.pan(...pans[event.key]);
        else if (event.key === "ArrowLeft") moveCursor(-1);
        else if (event.key === "ArrowRight") moveCursor(1);
        else return;
        event.preventDefault();
    }
}
