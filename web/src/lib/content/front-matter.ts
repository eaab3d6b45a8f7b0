import * as v from 'valibot'
import type { VFile } from 'vfile'
import { fillInText, names } from './fill-in'

const text = v.pipe(v.string(), v.trim(), v.nonEmpty())
const date = v.pipe(v.string(), v.isoDate(), v.check(isRealDate, 'is no date of the calendar'))
const filled = v.pipe(
  text,
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      return fillInText(dataset.value)
    } catch (error) {
      addIssue({ message: (error as Error).message })
      return NEVER
    }
  }),
)

const schema = v.pipe(
  v.strictObject({
    title: v.pipe(
      text,
      v.check((title) => !names.test(title), 'a picture shows it, where nothing is filled in'),
    ),
    excerpt: filled,
    /** YYYY-MM-DD. */
    date,
    /** When the text last changed, if that was after `date`. */
    updated: v.optional(date),
    tags: v.pipe(v.array(text), v.minLength(1)),
    featured: v.boolean(),
  }),
  v.forward(
    v.partialCheck(
      [['date'], ['updated']],
      ({ date, updated = date }) => updated >= date,
      'is before the date',
    ),
    ['updated'],
  ),
)

/** The pattern admits the 31st of every month. */
function isRealDate(value: string): boolean {
  const time = new Date(value)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value)
}

/** What an article's file says about it. */
export type FrontMatter = v.InferOutput<typeof schema>

/** The front matter of an article; throws with the file and all reasons when something is wrong with it. */
export function parseFrontMatter(file: VFile): FrontMatter {
  const result = v.safeParse(schema, file.data.matter)
  if (result.success) return result.output
  const reasons = result.issues.map((issue) => `${v.getDotPath(issue) ?? 'all of it'}: ${issue.message}`)
  throw new Error(`${file.path}: front matter:\n${reasons.join('\n')}`)
}
