import type { ReactNode } from 'react'
import { ConfirmDialog } from '@/components/app/confirm-dialog'

/** What is asked before something that other people notice. */
export interface Question {
  title: string
  text: ReactNode
  /** What the button says that goes ahead. */
  action: string
  destructive?: boolean
  onConfirm: () => void
}

interface QuestionDialogProps {
  /** Null while nothing is asked. */
  question: Question | null
  onClose: () => void
}

/** Asks, and closes before it goes ahead. */
export function QuestionDialog({ question, onClose }: QuestionDialogProps) {
  return (
    <ConfirmDialog
      open={question !== null}
      title={question?.title ?? ''}
      action={question?.action ?? ''}
      destructive={question?.destructive ?? false}
      onConfirm={() => {
        onClose()
        question?.onConfirm()
      }}
      onClose={onClose}
    >
      {question && <span>{question.text}</span>}
    </ConfirmDialog>
  )
}
