import { type GenericSchema, looseObject } from 'valibot'

/**
 * The fields of an answer that pages rely on, in valibot's terms. An answer without them is that
 * call's failure, a `Problem` of the kind `unusable`. Further fields are kept. Leave values that a
 * newer server may extend open: `string()` for a status, never its list.
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
