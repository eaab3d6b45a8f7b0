/** Where the running stack is. The starter of the suite sets these. */
function address(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: start the suite with \`make e2e\``)
  return value.replace(/\/$/, '')
}

export const siteURL = address('FLEDGE_SITE_URL')
export const mailURL = address('FLEDGE_MAIL_URL')
export const stripeURL = address('FLEDGE_STRIPE_URL')
export const githubURL = address('FLEDGE_GITHUB_URL')

let people = 0

/** An address that nobody has used before. */
export function newAddress(name: string): string {
  people += 1
  return `${name}-${Date.now().toString(36)}-${people}@fledge.test`
}

export interface Mail {
  id: string
  subject: string
  text: string
}

/** The mail that has arrived for an address. */
export async function mailFor(address: string): Promise<Mail[]> {
  const response = await fetch(`${mailURL}/messages?to=${encodeURIComponent(address)}`)
  if (!response.ok) throw new Error(`mail stand-in answered ${response.status}`)
  return ((await response.json()) as { messages: Mail[] }).messages
}
