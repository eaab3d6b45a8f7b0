import {
  array,
  check,
  fallback,
  type GenericSchema,
  looseObject,
  nullish,
  pipe,
  transform,
} from 'valibot'

/**
 * Validates the fields of a response that pages rely on, with a valibot schema. If one is missing, the call fails
 * with a `Problem` of the kind `unusable`. Further fields are kept. Do not restrict values that a newer server may
 * extend: `string()` for a status, never its list.
 *
 *     rawResponseSchema: shape<WaitlistUserPage>({
 *       data: rows(shape<WaitlistUser>({ id: string(), status: string() })),
 *       nextCursor: nullish(string()),
 *     })
 */
export function shape<Answer extends object>(fields: {
  [Field in keyof Answer]?: GenericSchema
}): GenericSchema<Answer> {
  return looseObject(fields as Record<string, GenericSchema>) as unknown as GenericSchema<Answer>
}

/** A part of a response that the rest does not depend on: it is left out if it is of another shape. */
export const part = <Part>(schema: GenericSchema<Part>): GenericSchema<Part | null | undefined> =>
  fallback(nullish(schema), undefined)

/** A list without the rows that are not of the shape; if none of them is, the call fails. */
export function rows<Row>(row: GenericSchema<Row>): GenericSchema<Row[]> {
  const fitting = pipe(
    array(part(row)),
    transform((all) => ({ all: all.length, kept: all.filter((one) => one != null) })),
    check(({ all, kept }) => all === 0 || kept.length > 0),
    transform(({ all, kept }) => {
      const left = all - kept.length
      if (left > 0) console.error(`${left} of ${all} rows of a response are of another shape`)
      return kept
    }),
  )
  return fitting as unknown as GenericSchema<Row[]>
}
