import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import { type FormEvent, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { Input, Textarea } from '@/components/app/field'
import { TooLong } from '@/components/app/tickets/too-long'
import { isTooLong } from '@/components/app/tickets/words'
import { Button } from '@/components/button'
import { useDeleteAnswerMutation, useSaveAnswerMutation } from '@/lib/api/desk-api'
import { problemText } from '@/lib/api/problem'
import type { CannedAnswer } from '@/lib/api/types'
import { cleanLine, cleanText } from '@/lib/clean-text'
import { type Question, QuestionDialog } from '../question'
import { useDraftGuard } from '../use-draft-guard'
import { useStaffForm } from '../use-staff-draft'

interface AnswersDialogProps {
  open: boolean
  answers: readonly CannedAnswer[]
  onClose: () => void
}

/** What is typed; a new answer has no id. */
const none = { id: '', title: '', body: '' }

/** The canned answers of this installation: add, change, delete. */
export function AnswersDialog({ open, answers, onClose }: AnswersDialogProps) {
  const [draft, setDraft] = useStaffForm('canned-answer', none)
  const [remove, removal] = useDeleteAnswerMutation()
  const [question, setQuestion] = useState<Question | null>(null)
  const saved = answers.find(({ id }) => id === draft.id) ?? none
  const typed = draft.title !== saved.title || draft.body !== saved.body
  useDraftGuard(open && typed)

  const edit = ({ id, title, body }: CannedAnswer) => {
    if (removal.isLoading) return
    const begin = () => setDraft({ id, title, body })
    if (!typed) return begin()
    setQuestion({
      title: 'Drop what you have typed?',
      text: 'It is not saved.',
      action: 'Drop',
      destructive: true,
      onConfirm: begin,
    })
  }
  const erase = async ({ id }: CannedAnswer) => {
    const { error } = await remove({ id })
    if (!error && draft.id === id) setDraft(null)
  }

  return (
    <>
      <Dialog
        open={open}
        title="Canned answers"
        description="Texts that staff can start an answer with"
        onClose={onClose}
      >
        <DialogBody>
          <chakra.ul role="list" aria-label="Canned answers" mb="4" fontSize="sm">
            {answers.map((answer) => (
              <Flex
                as="li"
                key={answer.id}
                wrap="wrap"
                align="center"
                gap="2"
                py="1.5"
                borderBottom="1px solid {colors.line}"
              >
                <Box flex="1 1 8rem" minW={0} overflowWrap="anywhere">
                  {answer.title}
                </Box>
                <Button
                  variant="ghost"
                  size="dense"
                  aria-label={`Edit ${answer.title}`}
                  aria-disabled={removal.isLoading}
                  data-event="edit_canned_answer"
                  onClick={() => edit(answer)}
                >
                  Edit
                </Button>
                <Button
                  variant="ghost"
                  size="dense"
                  aria-label={`Delete ${answer.title}`}
                  aria-disabled={removal.isLoading}
                  data-event="delete_canned_answer"
                  onClick={() => {
                    if (removal.isLoading) return
                    setQuestion({
                      title: `Delete ${answer.title}?`,
                      text: 'It cannot be undone. Answers that were sent stay as they are.',
                      action: 'Delete',
                      destructive: true,
                      onConfirm: () => void erase(answer),
                    })
                  }}
                >
                  Delete
                </Button>
              </Flex>
            ))}
          </chakra.ul>
          {removal.error && (
            <Alert>{problemText(removal.error, 'Failed to delete the answer')}</Alert>
          )}
          <AnswerForm draft={draft} onDraft={setDraft} />
        </DialogBody>
      </Dialog>
      <QuestionDialog question={question} onClose={() => setQuestion(null)} />
    </>
  )
}

interface AnswerFormProps {
  draft: typeof none
  onDraft: (draft: typeof none | null) => void
}

function AnswerForm({ draft, onDraft }: AnswerFormProps) {
  const [save, { isLoading, error }] = useSaveAnswerMutation()
  const title = cleanLine(draft.title)
  const body = cleanText(draft.body)
  const complete = title !== '' && body !== '' && !isTooLong(body)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!complete || isLoading) return
    const { data } = await save({ ...(draft.id && { id: draft.id }), title, body })
    if (data) onDraft(null)
  }
  return (
    <Flex asChild direction="column" gap="3">
      <form onSubmit={(event) => void submit(event)}>
        <Input
          aria-label="Title"
          placeholder="Title"
          maxLength={100}
          readOnly={isLoading}
          value={draft.title}
          onChange={(event) => onDraft({ ...draft, title: event.target.value })}
        />
        <Textarea
          aria-label="Text"
          placeholder="Text"
          rows={5}
          readOnly={isLoading}
          value={draft.body}
          onChange={(event) => onDraft({ ...draft, body: event.target.value })}
        />
        <TooLong message={draft.body} />
        <Text color="quiet" fontSize="xs">
          {'{{name}}, {{email}}, {{ticket}} and {{subject}} are filled in.'}
        </Text>
        {error && <Alert>{problemText(error, 'Failed to save the answer')}</Alert>}
        <Flex gap="2">
          <Button
            type="submit"
            size="dense"
            disabled={!complete}
            pending={isLoading}
            data-event="save_canned_answer"
          >
            {draft.id ? 'Save answer' : 'Add answer'}
          </Button>
          {draft.id && (
            <Button
              variant="ghost"
              size="dense"
              data-event="cancel_canned_answer"
              onClick={() => onDraft(null)}
            >
              Cancel
            </Button>
          )}
        </Flex>
      </form>
    </Flex>
  )
}
