import { expect, test } from "vitest";
import { isId, unnamed } from "./ids";

const KSUID = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";

test("a record without a name is shown by its kind and the end of its id", () => {
  expect(unnamed(`cr_${KSUID}`)).toBe("Credential …nLOv");
  expect(unnamed(`edghtsrt_${KSUID}`)).toBe("HTTPS route …nLOv");
  expect(unnamed(`ipx_${KSUID}`)).toBe("IP restriction …nLOv");
  expect(unnamed(`xx_${KSUID}`)).toBe("Record …nLOv");
});

test("other texts stay as they are", () => {
  expect(unnamed("shop.example.com:443")).toBe("shop.example.com:443");
  expect(isId(`cr_${KSUID}`)).toBe(true);
  expect(isId("cr_short")).toBe(false);
});
