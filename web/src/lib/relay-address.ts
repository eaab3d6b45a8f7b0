/** Apple gives addresses of this domain to whoever hides their own. */
const APPLE_RELAY = '@privaterelay.appleid.com'

/** Whether Apple forwards what is sent to this address to one that it hides. */
export function isRelayAddress(email: string): boolean {
  return email.toLowerCase().endsWith(APPLE_RELAY)
}
