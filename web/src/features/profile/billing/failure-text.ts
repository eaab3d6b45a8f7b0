import { answerOf } from '@/lib/api/problem'

/** What to say of a page of Stripe's that did not open. A conflict stays, however often one tries: the server says what to do. */
export function failureText(error: unknown, fallback: string): string {
  const answer = answerOf(error)
  return (answer?.status === 409 && answer.text) || fallback
}
