import { useDraft } from '@/lib/use-draft'

interface Kept {
  content: string
  key: string
}

function read(text: string): Kept | null {
  try {
    return JSON.parse(text) as Kept | null
  } catch {
    return null
  }
}

/**
 * Idempotency keys: the same content gets the same key until it was `accepted`, so that retrying a request whose
 * response was lost does not file the message twice. A key is stored as long as the draft called `draft`.
 */
export function useIdempotencyKey(draft: string) {
  const [kept, keep] = useDraft(`${draft}:key`)
  return {
    keyFor: (...parts: string[]): string => {
      const content = JSON.stringify(parts)
      const last = read(kept)
      if (last?.content === content) return last.key
      const key = crypto.randomUUID()
      keep(JSON.stringify({ content, key } satisfies Kept))
      return key
    },
    accepted: () => keep(''),
  }
}
