// A plot in space, on a canvas: parallel projection, turned by dragging.

class Space extends Canvas {
    constructor(host, { label, onPoint = null, onView = null }) {
        super(host, label);
        Object.assign(this, { onPoint, onView });
        this.lines = []; // {name, color, x, y, z, isPoints, isFaint}
        this.names = ["x", "y", "z"];
        this.cursor = null; // {points: [{at: [x, y, z], color}], path: [[x, y, z], …]}
        this.isEqual = true;
        this.reset();
        this.listen();
    }
    reset() {
        [this.turn, this.tilt, this.size] = [-0.6, 0.45, 1];
        this.changed();
    }
    changed() {
        this.plan();
        if (this.onView) this.onView();
    }
    setLines(lines, names) {
        this.lines = lines;
        this.names = names;
        this.box = ["x", "y", "z"].map((axis) => {
            let low = Infinity, high = -Infinity;
            for (const line of lines)
                for (const v of line[axis]) {
                    if (!Number.isFinite(v)) continue;
                    if (v < low) low = v;
                    if (v > high) high = v;
                }
            if (!(high >= low)) return [0, 1];
            return high > low ? [low, high] : [low - 1, high + 1];
        });
        this.plan();
    }
    // To pixels and depth: the box is turned about its middle by `turn` around z, then tilted.
    prepare() {
        const extents = this.box.map(([low, high]) => high - low);
        const largest = Math.max(...extents);
        const unit = extents.map((e) => 1 / (this.isEqual ? largest : e));
        const middle = this.box.map(([low, high]) => (low + high) / 2);
        const [ct, st, cp, sp] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
        const scale = this.size * Math.min(this.width, this.height) * 0.62;
        this.toPixel = (x, y, z) => {
            const a = (x - middle[0]) * unit[0], b = (y - middle[1]) * unit[1], c = (z - middle[2]) * unit[2];
            const u = ct * a - st * b, v = st * a + ct * b;
            return [this.width / 2 + scale * u, this.height / 2 - scale * (cp * c + sp * v), cp * v - sp * c];
        };
    }
    draw(g) {
        if (!this.box) return;
        this.prepare();
        this.drawBox(g);
        for (const line of this.lines) this.drawLine(g, line);
        this.drawCursor(g);
        this.host.dataset.view = [this.turn, this.tilt, this.size].map(exact).join(" ");
        this.host.dataset.lines = this.lines.map((line) => encodeURIComponent(line.name)).join(" ");
        this.host.dataset.points = String(this.lines.reduce((sum, line) => sum + line.x.length, 0));
    }
    drawBox(g) {
        const corner = (k) => this.toPixel(...this.box.map((range, axis) => range[(k >> axis) & 1]));
        // the corner in front hides what lies behind it: its edges are left out
        const depths = Array.from({ length: 8 }, (_, k) => corner(k)[2]);
        const front = depths.indexOf(Math.min(...depths));
        g.strokeStyle = themeColor("axis");
        g.lineWidth = 1;
        for (let k = 0; k < 8; ++k)
            for (let axis = 0; axis < 3; ++axis) {
                const other = k ^ (1 << axis);
                if (other < k || k === front || other === front) continue;
                const [x0, y0] = corner(k), [x1, y1] = corner(other);
                g.beginPath();
                g.moveTo(x0, y0);
                g.lineTo(x1, y1);
                g.stroke();
            }
        g.textBaseline = "middle";
        for (let axis = 0; axis < 3; ++axis) this.drawAxis(g, axis, front);
    }
    // Numbers and the name along an edge at the outline.
    drawAxis(g, axis, front) {
        // of the edges in this direction, those between the front and the back corner are on the outline
        const others = [0, 1, 2].filter((a) => a !== axis);
        const starts = others.map((a) => (front ^ (1 << a)) & ~(1 << axis));
        const lowest = starts.map((k) => this.toPixel(...this.box.map((r, a) => (a === axis ? (r[0] + r[1]) / 2 : r[(k >> a) & 1]))));
        const k = axis === 2 ? (lowest[0][0] < lowest[1][0] ? starts[0] : starts[1]) : lowest[0][1] > lowest[1][1] ? starts[0] : starts[1];
        const at = (value) => this.toPixel(...this.box.map((r, a) => (a === axis ? value : r[(k >> a) & 1])));
        const [low, high] = this.box[axis];
        const middle = at((low + high) / 2);
        const away = [middle[0] - this.width / 2, middle[1] - this.height / 2];
        const length = Math.hypot(...away) || 1;
        const out = away.map((v) => v / length);
        g.fillStyle = themeColor("soft");
        g.textAlign = out[0] > 0.4 ? "left" : out[0] < -0.4 ? "right" : "center";
        for (const tick of ticks(low, high, 4, false)) {
            const [x, y] = at(tick.at);
            g.fillText(tick.text, x + 10 * out[0], y + 12 * out[1]);
        }
        g.fillStyle = themeColor("text");
        g.font = g.font.replace(/^/, "600 ");
        g.fillText(this.names[axis], middle[0] + 44 * out[0], middle[1] + 34 * out[1]);
        g.font = g.font.replace(/^600 /, "");
    }
    drawLine(g, line) {
        g.strokeStyle = g.fillStyle = line.color;
        g.globalAlpha = line.isFaint ? 0.35 : 1;
        g.lineWidth = line.isFaint ? 1 : 1.5;
        g.lineJoin = "round";
        const n = line.x.length;
        let isOpen = false;
        g.beginPath();
        for (let k = 0; k < n; ++k) {
            const [x, y] = this.toPixel(line.x[k], line.y[k], line.z[k]);
            if (!Number.isFinite(x) || !Number.isFinite(y)) {
                isOpen = false;
                continue;
            }
            if (line.isPoints) g.fillRect(x - 1.2, y - 1.2, 2.4, 2.4);
            else if (isOpen) g.lineTo(x, y);
            else g.moveTo(x, y);
            isOpen = true;
        }
        if (!line.isPoints) g.stroke();
        g.globalAlpha = 1;
    }
    drawCursor(g) {
        if (!this.cursor) return;
        if (this.cursor.path) {
            g.strokeStyle = themeColor("text");
            g.lineWidth = 1.8;
            g.beginPath();
            this.cursor.path.forEach((p, k) => {
                const [x, y] = this.toPixel(...p);
                if (k) g.lineTo(x, y);
                else g.moveTo(x, y);
            });
            g.stroke();
        }
        for (const point of this.cursor.points) {
            const [x, y] = this.toPixel(...point.at);
            g.beginPath();
            g.arc(x, y, 4.2, 0, 2 * Math.PI);
            g.fillStyle = point.color;
            g.fill();
            g.strokeStyle = themeColor("card");
            g.lineWidth = 1.5;
            g.stroke();
        }
    }
    nearest(px, py) {
        let best = null, least = Infinity;
        for (const line of this.lines)
            for (let k = 0; k < line.x.length; ++k) {
                const [x, y] = this.toPixel(line.x[k], line.y[k], line.z[k]);
                const distance = Math.hypot(x - px, y - py);
                if (distance < least) {
                    least = distance;
                    best = { line, k };
                }
            }
        return best;
    }
    zoom(factor) {
        this.size = Math.max(0.2, Math.min(50, this.size / factor));
        this.changed();
    }
    rotate(turn, tilt) {
        this.turn += turn;
        this.tilt = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.tilt + tilt));
        this.changed();
    }
    listen() {
        const canvas = this.canvas;
        let last = null;
        canvas.addEventListener("pointerdown", (event) => {
            last = this.place(event);
            this.capture(event);
        });
        canvas.addEventListener("pointermove", (event) => {
            const at = this.place(event);
            if (last) {
                this.rotate((at[0] - last[0]) * 0.01, (at[1] - last[1]) * 0.01);
                last = at;
            } else if (this.onPoint && this.toPixel) {
                const found = this.nearest(...at);
                if (found) this.onPoint(found.line, found.k);
            }
        });
        const end = () => (last = null);
        canvas.addEventListener("pointerup", end);
        canvas.addEventListener("pointercancel", end);
        canvas.addEventListener("dblclick", () => this.reset());
        canvas.addEventListener("wheel", (event) => {
            if (document.activeElement !== canvas && !event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))));
        }, { passive: false });
        canvas.addEventListener("keydown", (event) => {
            const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            if (turns[event.key]) this.rotate(...turns[event.key]);
            else if (event.key === "+" || event.key === "=") this.zoom(0.8);
            else if (event.key === "-") this.zoom(1.25);
            else if (event.key === "0" || event.key === "Escape") this.reset();
            else return;
            event.preventDefault();
        });
    }
}
