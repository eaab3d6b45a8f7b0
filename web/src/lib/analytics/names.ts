/** The form of an identifier in the code; text written by a person, a file or a server rarely has it. */
const shape = /^[a-z][a-z_-]{0,39}$/

/** Whether `text` may be the label of an event. */
export const isName = (text: string | null | undefined): text is string => shape.test(text ?? '')
