import type { VFile } from 'vfile'
import { z } from 'zod'
import { fillInText, names } from './fill-in'

const text = z.string().trim().min(1)
const filled = text.transform((value, context) => {
  try {
    return fillInText(value)
  } catch (error) {
    context.addIssue((error as Error).message)
    return z.NEVER
  }
})

const schema = z
  .strictObject({
    title: text.refine((title) => !names.test(title), 'a picture shows it, where nothing is filled in'),
    excerpt: filled,
    /** YYYY-MM-DD. */
    date: z.iso.date(),
    /** When the text last changed, if that was after `date`. */
    updated: z.iso.date().optional(),
    tags: z.array(text).min(1),
    featured: z.boolean(),
  })
  .refine(({ date, updated = date }) => updated >= date, {
    path: ['updated'],
    message: 'is before the date',
  })

/** What an article's file says about it. */
export type FrontMatter = z.infer<typeof schema>

/** The front matter of an article; throws with the file and all reasons when something is wrong with it. */
export function parseFrontMatter(file: VFile): FrontMatter {
  const result = schema.safeParse(file.data.matter)
  if (result.success) return result.data
  throw new Error(`${file.path}: front matter:\n${z.prettifyError(result.error)}`)
}
