import { boolean, looseObject, number, string } from 'valibot'
import { part, shape } from './shape'
import type { Session, User } from './types'

export const userShape = shape<User>({
  id: string(),
  email: string(),
  app_metadata: looseObject({ provider: string() }),
})

/** A session, as the site and the app get it. */
export const sessionShape = shape<Session>({
  access_token: string(),
  refresh_token: string(),
  expires_in: number(),
  expires_at: number(),
  token_type: string(),
  user: userShape,
  deletionTakenBack: part(boolean()),
})
