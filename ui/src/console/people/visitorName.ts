// The display name of a logged-in visitor: the name, or another identifier from the provider.
import type { AppUser } from "../../api/generated";

export function nameOf(user: AppUser): string {
  return user.name || user.email || user.username || user.provider_user_id;
}
