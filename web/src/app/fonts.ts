import localFont from 'next/font/local'

/*
 * None is preloaded: text is painted at once in a fallback of the same metrics (src/styles/fallback-fonts.css), and a
 * preloaded font would compete with it for the line. The constants name the families: 'sans' would be a font of the
 * machine's on Linux.
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
