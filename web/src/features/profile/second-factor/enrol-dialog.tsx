import { type FormEvent, useState } from 'react'
import { Alert } from '@/components/app/alert'
import confirm from '@/components/app/confirm-dialog.module.css'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { Button } from '@/components/button'
import { CodeField } from '@/features/session/second-factor/code-field'
import { problemText } from '@/lib/api/problem'
import { useConfirmSecondFactorMutation } from '@/lib/api/second-factor-api'
import type { SecondFactorEnrolment } from '@/lib/api/types'
import styles from './second-factor-card.module.css'

interface EnrolDialogProps {
  enrolment: SecondFactorEnrolment
  onAdded: () => void
  onClose: () => void
}

/** Shows an authenticator app its secret, and asks for the first code to see that it has it. */
export function EnrolDialog({ enrolment, onAdded, onClose }: EnrolDialogProps) {
  const [add, { isLoading, error }] = useConfirmSecondFactorMutation()
  const [code, setCode] = useState('')
  const typed = code.trim()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!typed || isLoading) return
    const { error: refused } = await add({ flow: enrolment.flow, code: typed })
    if (!refused) onAdded()
  }

  return (
    <Dialog
      open
      title="Set up an authenticator app"
      description="Any app for time-based codes will do, such as a password manager."
      busy={isLoading}
      onClose={onClose}
    >
      <DialogBody>
        <form
          name="confirm_second_factor"
          className={styles.form}
          onSubmit={(event) => void submit(event)}
          noValidate
        >
          <p>
            Scan this code with the app, or <a href={enrolment.uri}>open it in an app</a> on this
            device.
          </p>
          {/* eslint-disable-next-line @next/next/no-img-element -- it comes with the answer */}
          <img className={styles.qr} src={enrolment.qr_code} alt="QR code of the secret below" />
          <p>
            You can also type the secret:{' '}
            <strong translate="no" className={styles.secret}>
              {enrolment.secret}
            </strong>
          </p>
          <CodeField
            label="Code that the app shows now"
            value={code}
            waiting={isLoading}
            onType={setCode}
          />
          {error && <Alert problem="confirm_second_factor_failed">{problemText(error)}</Alert>}
          <div className={confirm.actions}>
            <Button
              variant="secondary"
              aria-disabled={isLoading}
              data-event="cancel"
              onClick={onClose}
            >
              Cancel
            </Button>
            <Button
              type="submit"
              disabled={!typed}
              pending={isLoading}
              data-event="confirm_second_factor"
            >
              Add the app
            </Button>
          </div>
        </form>
      </DialogBody>
    </Dialog>
  )
}
