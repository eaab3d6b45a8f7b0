/**
 * What a name looks like that the code gives: no text that a person, a file or a server has written does,
 * but by accident.
 */
const shape = /^[a-z][a-z_-]{0,39}$/

/** Whether `text` may be the label of an event. */
export const isName = (text: string | null | undefined): text is string => shape.test(text ?? '')
