/** What terminals read as a command, such as a colour: CSI, OSC and short sequences. */
const terminalCommands =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g
/** What ends a line elsewhere: word processors write a vertical tab, progress bars a lone return. */
const lineEnds = /\r\n?|[\v\f\u0085\u2028\u2029]/g
const controls = /[^\P{Cc}\n\t]/gu
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Pasted text without what nobody sees and the server refuses: of control characters only newlines and
 * tabs stay. Trimmed.
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
}
