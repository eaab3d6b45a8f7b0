/**
 * ANSI escape sequences, such as colours: CSI, OSC, other strings (DCS, SOS, PM, APC) and short ones. A string without an
 * end is one until the line's.
 */
const terminalCommands =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\r\n]*(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b\r\n]*(?:\u001b\\)?|\u001b[ -/]*[0-~]/g
/** Other line breaks: word processors write vertical tabs, progress bars carriage returns. */
const lineEnds = /\r\n?|[\v\f\u0085\u2028\u2029]/g
const controls = /[^\P{Cc}\n\t]/gu
const visible = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Removes invisible characters from pasted text, as the server does (services/platform/text): of control characters only
 * newlines and tabs stay, and nothing of text in which nobody sees anything. Trims.
 */
export function cleanText(text: string): string {
  const clean = text
    .replaceAll(terminalCommands, '')
    .replaceAll(lineEnds, '\n')
    .replaceAll(controls, '')
    .trim()
  return visible.test(clean) ? clean : ''
}

/** The same on a single line. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replaceAll(/[\n\t]+/g, ' ')
    .replaceAll(bidiControls, '')
    .trim()
}
