// Draws so many rows of a Mandelbrot set: what takes long.
export const drawRows = (context, width, height, from, count) => {
    const pixels = context.createImageData(width, count);
    for (let i = 0; i < width * count; i++) {
        const x = (i % width - width * 0.7) * 2.6 / height, y = (from + Math.floor(i / width) - height / 2) * 2.6 / height;
        let a = 0, b = 0, steps = 0;
        while (a * a + b * b < 4 && steps < 120) [a, b, steps] = [a * a - b * b + x, 2 * a * b + y, steps + 1];
        pixels.data.set([steps * 2, steps * 2, 40 + steps, 255], 4 * i);
    }
    context.putImageData(pixels, 0, from);
};
