// The worker: each message has a size, and a port for the picture and for the word that nobody wants it any more.
import { paint } from "./paint.mjs";

onmessage = async ({ data: { width, height, port } }) => {
    const controller = new AbortController();
    port.onmessage = () => controller.abort();
    try {
        const picture = await paint({ width, height, signal: controller.signal });
        port.postMessage(picture, [picture]);
    } catch (error) {
        port.postMessage(error);
    }
};
