// The place of the page that publishes a service.
export const PUBLISH_PATH = "/publish";
