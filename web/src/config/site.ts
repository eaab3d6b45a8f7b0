/** What an installation calls itself: its product, where it stands, and who answers mail. */
export interface Site {
  /** The product's name. */
  readonly name: string
  /** Origin of canonical links and share images: scheme, host and port, no trailing slash. */
  readonly origin: string
  readonly emails: { readonly support: string; readonly sales: string; readonly privacy: string }
}

/**
 * One export serves every installation: in its place stand these words, which the front door fills in
 * when it starts (deploy/caddy/site). All of them end in `site.invalid`, so that one left behind is found.
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

/** `next dev` and the unit tests have no front door to fill anything in. */
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

let known: Site | undefined

/** Scripts are not filled in: their names are hashes of their content. They read what the page says. */
function values(): Site {
  if (process.env.NODE_ENV !== 'production') return development
  if (typeof window === 'undefined') return placeholders
  known ??= JSON.parse(document.getElementById(SITE_ELEMENT)?.textContent ?? '') as Site
  return known
}

/** The product and its installation; read where it is used, for scripts may run before the page is parsed. */
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
