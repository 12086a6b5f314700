// Arranges boxes away from the page's own thread: hundreds of edges take longer than a frame.
import { arrange, type Arrangement, type Boxes } from "./arrange";

export interface ArrangeRequest {
  number: number;
  boxes: Boxes;
}

export interface ArrangeResponse {
  number: number;
  arrangement: Arrangement;
}

self.addEventListener("message", ({ data: { number, boxes } }: MessageEvent<ArrangeRequest>) => {
  const response: ArrangeResponse = { number, arrangement: arrange(boxes) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
  self.postMessage(response);
});
