// Runs steps in order, prints the result of each, and stops at a failed step that later ones need.

export class Steps {
  passed = 0;
  failed = 0;

  /** A step that later ones depend on: if it fails, the run ends. */
  async must(name, work) {
    if (!(await this.try(name, work))) throw new Error(`stopped after: ${name}`);
  }

  /** An independent step. */
  async try(name, work) {
    const begun = Date.now();
    try {
      await work();
      this.passed += 1;
      console.log(`ok    ${name} (${Date.now() - begun} ms)`);
      return true;
    } catch (error) {
      this.failed += 1;
      console.log(`FAIL  ${name}: ${error.message}`);
      return false;
    }
  }

  summary() {
    return `${this.passed} passed, ${this.failed} failed`;
  }
}
