import localFont from 'next/font/local'

/*
 * The build holds the preloaded one until the text is painted, on visitors' pages both (scripts/style.mjs); what stands there
 * meanwhile takes the same room (src/styles/fallback-fonts.css). The constants name the families: 'sans' would be a
 * font of the machine's on Linux.
 */

/** Bricolage Grotesque with its optical size axis: characterful at display sizes, quiet in text. */
export const bricolage = localFont({
  src: '../../node_modules/@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-opsz-normal.woff2',
  variable: '--font-bricolage',
  weight: '200 800',
  display: 'swap',
  adjustFontFallback: false,
})

/** JetBrains Mono, for code. Not preloaded: app pages ask for it when they show code. */
export const jetbrains = localFont({
  src: '../../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  variable: '--font-jetbrains',
  weight: '100 800',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
})
