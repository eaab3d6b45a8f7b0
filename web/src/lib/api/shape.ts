import { fallback, type GenericSchema, looseObject, nullish } from 'valibot'

/**
 * Validates the fields of a response that pages rely on, with a valibot schema. If one is missing, the call fails
 * with a `Problem` of the kind `unusable`. Further fields are kept. Do not restrict values that a newer server may
 * extend: `string()` for a status, never its list.
 *
 *     rawResponseSchema: shape<WaitlistUserPage>({
 *       data: array(shape<WaitlistUser>({ id: string(), status: string() })),
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
