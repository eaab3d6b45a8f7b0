import { useAuth } from '@/features/session/use-auth'
import { staffDraft, useDraft } from '@/lib/use-draft'

/** The name of a draft of the member of staff who is signed in; it is erased when they sign out. */
export function useStaffDraftName(key: string): string {
  const { user } = useAuth()
  return staffDraft(user?.id ?? '', key)
}

/**
 * What the member of staff who is signed in has typed or opened, and its setter. It outlives the sign-in that the
 * server may want before it is sent (`SignInAgain`).
 */
export function useStaffDraft(key: string) {
  return useDraft(useStaffDraftName(key))
}

/** The same for the fields of a form, which start as `empty`; null empties them. */
export function useStaffForm<Form extends Record<keyof Form, string>>(key: string, empty: Form) {
  const [text, setText] = useStaffDraft(key)
  const form: Form = { ...empty, ...fieldsIn(text) }
  const setForm = (next: Form | null) => setText(next ? JSON.stringify(next) : '')
  return [form, setForm] as const
}

/**
 * The text of a field that has a `saved` value, and its setter. Once another value is saved, `rebased` makes the text of it
 * and of what was typed `over` the value before; what is typed is gone by default.
 */
export function useStaffDraftOver(
  key: string,
  saved: string,
  rebased: (typed: string, over: string, saved: string) => string = () => saved,
) {
  const [draft, setDraft] = useStaffForm(key, { over: saved, typed: saved })
  const setText = (typed: string) => setDraft(typed === saved ? null : { over: saved, typed })
  const { over, typed } = draft
  return [over === saved ? typed : rebased(typed, over, saved), setText] as const
}

/** The stored fields; none if the draft is not readable. */
function fieldsIn(text: string): Record<string, string> {
  try {
    return JSON.parse(text) as Record<string, string>
  } catch {
    return {}
  }
}
