/** What an installation calls itself: its product, where it stands, and who answers mail. */
export interface Site {
  /** The product's name. */
  readonly name: string
  /** Origin of canonical links and share images: scheme, host and port, no trailing slash. */
  readonly origin: string
  readonly emails: { readonly support: string; readonly sales: string; readonly privacy: string }
}

/**
 * One export serves every installation: it contains these placeholders, which the front door replaces when it starts
 * (deploy/caddy/site). All of them end in `site.invalid`, so that a forgotten one is found.
 */
const placeholders: Site = {
  name: 'Name.site.invalid',
  origin: 'https://origin.site.invalid',
  emails: {
    support: 'support@site.invalid',
    sales: 'sales@site.invalid',
    privacy: 'privacy@site.invalid',
  },
}

/** The values for `next dev` and the unit tests, where no front door replaces placeholders. */
const development: Site = {
  name: 'Fledge',
  origin: 'http://localhost:8080',
  emails: {
    support: 'support@fledge.example',
    sales: 'sales@fledge.example',
    privacy: 'privacy@fledge.example',
  },
}

/** The id of the element in which every page carries the installation's values, as JSON. */
export const SITE_ELEMENT = 'site'

let cached: Site | undefined

/** Scripts contain no placeholders, as their names are hashes of their content: they read the values from the page. */
function values(): Site {
  if (process.env.NODE_ENV !== 'production') return development
  if (typeof window === 'undefined') return placeholders
  cached ??= JSON.parse(document.getElementById(SITE_ELEMENT)?.textContent ?? '') as Site
  return cached
}

/** The product and its installation. Getters, because scripts may run before the page is parsed. */
export const site = {
  get name() {
    return values().name
  },
  get origin() {
    return values().origin
  },
  get emails() {
    return values().emails
  },
  /** Scheme of the desktop app's links, without the colon. */
  scheme: 'fledge',
  tagline: 'Say it. Ship it. In Swift.',
  get description() {
    return `Describe an app in plain words. ${values().name} writes native Swift and SwiftUI that you own, and builds the screens while you watch.`
  },
  minimumMacOS: '12.0',
}
