import type { CSSProperties } from 'react'
import { island } from '@/components/island'
import { CodePanel } from './code-panel'
import { HabitsScreen } from './habits-screen'
import { Phone } from './phone'
import { PlayWhenSeen } from './play-when-seen'
import { PlantsScreen } from './plants-screen'
import { Prompt } from './prompt'
import { scenes, type Scene } from './scenes'
import { SplitScreen } from './split-screen'
import styles from './triptych.module.css'

const Player = island('play-when-seen', PlayWhenSeen)
const screens = { habits: HabitsScreen, plants: PlantsScreen, split: SplitScreen }

/**
 * The hero's picture: a sentence is typed, Swift appears line by line, and the phone builds each
 * part of the screen when its line is written. Radio inputs and CSS choose and play the scene; with
 * reduced motion, in print and without animations the finished state stands there at once.
 */
export function Triptych() {
  return (
    <figure className={styles.triptych}>
      <figcaption className="visually-hidden">
        From a sentence to SwiftUI code to a finished iPhone screen
      </figcaption>
      <fieldset className={styles.chips}>
        <legend className="visually-hidden">Choose an idea</legend>
        {scenes.map((scene, index) => (
          <label key={scene.id} className={styles.chip}>
            <input
              type="radio"
              name="scene"
              value={scene.id}
              defaultChecked={index === 0}
              data-scene={scene.id}
              className={styles.radio}
            />
            <span>{scene.chip}</span>
          </label>
        ))}
      </fieldset>
      {scenes.map((scene) => (
        <SceneView key={scene.id} scene={scene} />
      ))}
      <Player />
    </figure>
  )
}

function SceneView({ scene }: { scene: Scene }) {
  const Screen = screens[scene.id]
  // The code starts when the sentence is typed: 0.3 s of rest and 45 ms a letter.
  const style = { '--typed': `${300 + scene.prompt.length * 45}ms` } as CSSProperties
  return (
    <div className={styles.scene} data-scene={scene.id} style={style}>
      <Prompt text={scene.prompt} />
      <CodePanel file={scene.file} code={scene.code} />
      <Phone label={scene.screen}>
        <Screen code={scene.code} />
      </Phone>
    </div>
  )
}
