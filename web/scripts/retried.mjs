import { appendFileSync } from 'node:fs'

/** Lists the tests that passed only on a further try in the file that FLEDGE_RETRIED names. */
export default class Retried {
  onTestRunEnd(files) {
    const list = process.env.FLEDGE_RETRIED
    if (!list) return
    for (const { children, relativeModuleId } of files) {
      for (const test of children.allTests()) {
        if (test.diagnostic()?.flaky) {
          appendFileSync(list, `web ${relativeModuleId} > ${test.fullName}\n`)
        }
      }
    }
  }
}
