// People who have logged in: listed with their sessions, which end with the browser's next request.
import { openArea } from "../kit/console";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";

const test = testWithWorld({ agent: null });
test.use({ viewport: { width: 1280, height: 800 } });

test("says what brings people here while there are none", async ({ page, openConsole }) => {
  await openConsole("/app/users");
  await expect(page.getByText(/No visitor has logged in yet/)).toBeVisible();
  await expectAccessible(page);
  await picture(page, "people-empty");
});

test("says what brings sessions here while there are none", async ({ page, openConsole }) => {
  await openConsole("/app/users");
  await openArea(page, "Visitor sessions");
  await expect(page.getByText(/No visitor is logged in/)).toBeVisible();
  await expectAccessible(page);
  await picture(page, "people-sessions-empty");
});
