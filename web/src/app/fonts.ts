import localFont from 'next/font/local'

/*
 * None is preloaded: text is painted immediately in a fallback font of the same metrics
 * (src/styles/fallback-fonts.css), and a preloaded font would compete with it for bandwidth. A visitor's first page
 * requests them after that (src/inline/load-islands.ts), or after the scripts (defer-fonts.ts). The constants name the
 * families: 'sans' would be a system font on Linux.
 */

/** Bricolage Grotesque with its optical size axis: characterful at display sizes, quiet in text. */
export const bricolage = localFont({
  src: '../../node_modules/@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-opsz-normal.woff2',
  variable: '--font-bricolage',
  weight: '200 800',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
})

/** JetBrains Mono, for code. */
export const jetbrains = localFont({
  src: '../../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  variable: '--font-jetbrains',
  weight: '100 800',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
})
