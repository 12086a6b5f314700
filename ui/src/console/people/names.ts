// What people are called: by their name, or whatever the provider says of them.
import type { AppUser } from "../../api/generated";

export function nameOf(user: AppUser): string {
  return user.name || user.email || user.username || user.provider_user_id;
}
