/** ANSI escape sequences, such as colours: CSI, OSC and short ones. An OSC without an end is one until the line's. */
const terminalCommands =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\r\n]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g
/** Other line breaks: word processors write vertical tabs, progress bars carriage returns. */
const lineEnds = /\r\n?|[\v\f\u0085\u2028\u2029]/g
const controls = /[^\P{Cc}\n\t]/gu
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Removes invisible characters from pasted text, as the server does (services/platform/text): of control characters only
 * newlines and tabs stay. Trims.
 */
export function cleanText(text: string): string {
  return text
    .replaceAll(terminalCommands, '')
    .replaceAll(lineEnds, '\n')
    .replaceAll(controls, '')
    .trim()
}

/** The same on a single line. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replaceAll(/[\n\t]+/g, ' ')
    .replaceAll(bidiControls, '')
    .trim()
}
