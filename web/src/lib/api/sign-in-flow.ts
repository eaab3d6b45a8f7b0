import { array, type GenericSchema, looseObject, nullish, number, string } from 'valibot'
import { requestJson } from './http'
import { shape } from './shape'
import type { SignInErrorCode, SignInFlow } from './types'

const TIMEOUT_MS = 10_000

const messages = nullish(array(looseObject({ id: number() })))

const flowShape = shape<SignInFlow>({
  id: string(),
  ui: looseObject({ messages, nodes: array(looseObject({ messages })) }),
})

const errorShape = shape<{ code: SignInErrorCode }>({ code: string() })

function read<Answer>(path: string, id: string, expected: GenericSchema<Answer>): Promise<Answer> {
  const options = { params: { id }, cache: 'no-store', timeout: TIMEOUT_MS } as const
  return requestJson(`/api/auth/kratos/self-service/${path}`, options, expected)
}

/** Reads a sign-in that waits for a decision (`login`) or was refused (`registration`). */
export function readSignInFlow(kind: 'login' | 'registration', id: string): Promise<SignInFlow> {
  return read(`${kind}/flows`, id, flowShape)
}

/** Reads why a sign-in ended at the error page. Both readers reject with a `Problem`. */
export async function readSignInError(id: string): Promise<SignInErrorCode> {
  const { code } = await read('errors', id, errorShape)
  return code
}
