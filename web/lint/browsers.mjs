/**
 * What the oldest supported browsers lack (`browserslist` in package.json): in practice Safari 15.6, whose
 * next version, 16.0, needs macOS 13 on many Macs. The build translates syntax and styles for them, but adds
 * no function and no regular expression that a browser does not have.
 *
 * Beside each name: the first Safari that knows it, by MDN's browser-compat-data; `none` has none yet.
 */

const none = 'no version'

/** Members of one object. */
const members = {
  'AbortSignal.any': '17.4',
  'AbortSignal.timeout': '16',
  'Array.fromAsync': '16.4',
  'CSS.highlights': '17.2',
  'CSS.registerProperty': '16.4',
  'Intl.DurationFormat': '16.4',
  'Iterator.from': '18.4',
  'Map.groupBy': '17.4',
  'Math.sumPrecise': '26.2',
  'Object.groupBy': '17.4',
  'Promise.try': '18.2',
  'Promise.withResolvers': '17.4',
  'RegExp.escape': '18.2',
  'Response.json': '17',
  'URL.canParse': '17',
  'URL.parse': '18',
  'Uint8Array.fromBase64': '18.2',
  'document.adoptedStyleSheets': '16.4',
  'document.startViewTransition': '18',
  'navigator.permissions': '16',
  'navigator.setAppBadge': '17',
  'navigator.userActivation': '16.4',
  'navigator.userAgentData': none,
  'navigator.wakeLock': '16.4',
  'screen.orientation': '16.4',
  'window.cookieStore': '18.4',
  'window.navigation': '26.2',
  'window.requestIdleCallback': none,
  'window.scheduler': none,
}

/** Members of whatever has them: no object of ours does. */
const methods = {
  adoptedStyleSheets: '16.4',
  checkVisibility: '17.4',
  difference: '17',
  getHTML: '18',
  hidePopover: '17',
  intersection: '17',
  isDisjointFrom: '17',
  isSubsetOf: '17',
  isSupersetOf: '17',
  isWellFormed: '16.4',
  moveBefore: none,
  replaceSync: '16.4',
  requestClose: '18.4',
  requestSubmit: '16',
  setHTMLUnsafe: '17.4',
  showPicker: '16',
  showPopover: '17',
  startViewTransition: '18',
  symmetricDifference: '17',
  togglePopover: '17',
  toReversed: '16',
  toSorted: '16',
  toSpliced: '16',
  toWellFormed: '16.4',
  union: '17',
  with: '16',
}

const globals = {
  CompressionStream: '16.4',
  DecompressionStream: '16.4',
  Highlight: '17.2',
  Iterator: '18.4',
  OffscreenCanvas: '16.4',
  ReportingObserver: '16.4',
  ScrollTimeline: '26',
  Temporal: none,
  URLPattern: '26',
  ViewTimeline: '26',
  cancelIdleCallback: none,
  cookieStore: '18.4',
  fetchLater: none,
  navigation: '26.2',
  requestIdleCallback: none,
  scheduler: none,
}

const syntax = {
  'Literal[regex.pattern=/[(][?]<[=!]/]': ['A look-behind', '16.4'],
  'Literal[regex.flags=/v/]': ['The flag v', '17'],
  'MemberExpression[property.name="size"]:matches([object.name=/param|query|search/i], [object.property.name=/param|query|search/i])':
    ['The size of a query', '17'],
  'NewExpression[callee.name="CSSStyleSheet"]': ['A constructed style sheet', '16.4'],
  'NewExpression[callee.name="FormData"][arguments.length>1]': ["A form's submitter", '16.4'],
  'JSXAttribute[name.name=/^popover/i]': ['A popover', '17'],
}

/** For the test that takes all of it from a browser: deploy/test/browser/specs/safari15.spec.ts. */
export const missing = [...Object.keys(members), ...Object.keys(methods), ...Object.keys(globals)]

const message = (since) =>
  since === none ? 'No version of Safari has it.' : `Safari has it since ${since}; 15.6 has to do.`

/**
 * Rules for what runs in a browser. Where one is disabled, the code first looks whether the thing is there.
 *
 * @type {import('eslint').Linter.RulesRecord}
 */
export const browserRules = {
  'no-restricted-properties': [
    'error',
    ...Object.entries(members).map(([name, since]) => {
      const [object, property] = name.split('.')
      return { object, property, message: message(since) }
    }),
    ...Object.entries(methods).map(([property, since]) => ({ property, message: message(since) })),
  ],
  'no-restricted-globals': [
    'error',
    ...Object.entries(globals).map(([name, since]) => ({ name, message: message(since) })),
  ],
  'no-restricted-syntax': [
    'error',
    ...Object.entries(syntax).map(([selector, [what, since]]) => ({
      selector,
      message: `${what}: ${message(since)}`,
    })),
  ],
}

/**
 * Values, rules and selectors without which a page would look broken. Each needs an `@supports` around it,
 * or an earlier declaration of the same property: that one holds only if the value has no `var()`, since a
 * browser decides about a value with a variable too late to fall back. What only adds something (`text-wrap`,
 * `content-visibility`, `scrollbar-*`, view transitions) is free, and so is what the build translates
 * (nesting, ranges in media queries, prefixes, `light-dark()`).
 */
export const styles = {
  values: [
    { shape: /color-mix\(/, since: '16.2' },
    { shape: /\b(?:rgb|hsl|oklch|oklab|color)\(from\b/, since: '16.4' },
    { shape: /\bsubgrid\b/, since: '16' },
    { shape: /\blinear\(\s*[\d.]/, since: '17.2' },
    {
      shape: /[\d.]r?lh\b|[\d.](?:cap|rcap|rex|rch|ric|cqw|cqh|cqi|cqb|cqmin|cqmax)\b/,
      since: '16 to 17.2',
    },
    {
      shape: /\bcontrast-color\(|\bsibling-(?:index|count)\(|\bif\(|\battr\([^)]+ type\(/,
      since: '26',
    },
    { shape: /\banchor(?:-size)?\(/, since: '26' },
  ],
  declarations: [
    { property: /^overflow(?:-[xy]|-inline|-block)?$/, value: /\bclip\b/, since: '16' },
    { property: /^overflow-clip-margin$/, value: /./, since: none },
    { property: /^container(?:-type|-name)?$/, value: /./, since: '16' },
    { property: /^offset(?:-path|-distance|-rotate|-anchor|-position)?$/, value: /./, since: '16' },
    // Text for the ears: 'seen' / 'heard'.
    { property: /^content$/, value: /\//, since: '17.4' },
    { property: /^transition-behavior$/, value: /./, since: '17.4' },
    { property: /^animation-timeline$/, value: /./, since: '26' },
    { property: /^position-(?:anchor|area)$/, value: /./, since: '26' },
    {
      property: /^white-space$/,
      value: /\b(?:collapse|preserve|preserve-breaks|break-spaces)\s+\w+/,
      since: '17.4',
    },
  ],
  atRules: [
    { shape: /^container$/, since: '16' },
    { shape: /^property$/, since: '16.4' },
    { shape: /^starting-style$/, since: '17.5' },
    { shape: /^scope$/, since: '17.4' },
    { shape: /^position-try$/, since: '26' },
  ],
  selectors: [
    { shape: /:popover-open|:open\b/, since: '17' },
    { shape: /:user-(?:in)?valid/, since: '16.5' },
    { shape: /:dir\(/, since: '16.4' },
    { shape: /:state\(/, since: '17.4' },
    { shape: /::details-content/, since: '18.4' },
    { shape: /::highlight\(/, since: '17.2' },
  ],
}
